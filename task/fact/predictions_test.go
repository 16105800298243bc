package fact

import (
	"errors"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
)

// TestWorse is the larger rank of a row.
func TestWorse(t *testing.T) {
	list, err := readFacts("predictions.csv", strings.NewReader(strings.Join(factColumns, ",")+
		"\nZoe,child_of,Ada,2,7.5,9,9\n"))
	if err != nil || len(list) != 1 || list[0].Worse() != 7.5 {
		t.Errorf("%+v, %v", list, err)
	}
}

// FuzzReadFacts: no bytes make readFacts panic; what it takes has ranks from 1 on.
func FuzzReadFacts(f *testing.F) {
	header := strings.Join(factColumns, ",")
	f.Add(header + "\na,r,b,1,2.5,9,9\n")
	f.Add(header + "\na,r,b,0,2.5,9,9\n")
	f.Add("head\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := readFacts("x.csv", strings.NewReader(text))
		var place *files.Error
		if err != nil && !errors.As(err, &place) {
			t.Errorf("%T: %v", err, err)
		}
		for _, x := range list {
			if !(x.TailRank >= 1 && x.HeadRank >= 1) || x.TailOthers < 0 {
				t.Errorf("took %+v", x)
			}
		}
	})
}
