package predicted

import (
	"errors"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
)

// TestWorse is the larger rank of a row.
func TestWorse(t *testing.T) {
	list, err := ReadFacts("predictions.csv", strings.NewReader(strings.Join(FactColumns, ",")+
		"\nZoe,child_of,Ada,2,7.5,9,9\n"))
	if err != nil || len(list) != 1 || list[0].Worse() != 7.5 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestReadPairs: a row as it is written, and a probability that is none.
func TestReadPairs(t *testing.T) {
	header := strings.Join(PairColumns, ",")
	list, err := ReadPairs("x.csv", strings.NewReader(header+"\na,b,0.25,true,test\n"))
	if err != nil || len(list) != 1 || list[0] != (Pair{"a", "b", 0.25, true, "test"}) {
		t.Errorf("%+v, %v", list, err)
	}
	for _, text := range []string{"", "a,b\n", header + "\na,b,1.5,true,test\n", header + "\na,b,0.5,so,test\n"} {
		var place *files.Error
		if _, err := ReadPairs("x.csv", strings.NewReader(text)); !errors.As(err, &place) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzReadFacts: no bytes make ReadFacts panic; what it takes has ranks from 1 on.
func FuzzReadFacts(f *testing.F) {
	header := strings.Join(FactColumns, ",")
	f.Add(header + "\na,r,b,1,2.5,9,9\n")
	f.Add(header + "\na,r,b,0,2.5,9,9\n")
	f.Add("head\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ReadFacts("x.csv", strings.NewReader(text))
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
