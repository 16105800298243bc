package pair

import (
	"errors"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
)

// TestReadPairs: a row as it is written, and an invalid probability.
func TestReadPairs(t *testing.T) {
	header := strings.Join(pairColumns, ",")
	list, err := readPairs("x.csv", strings.NewReader(header+"\na,b,0.25,true,test\n"))
	if err != nil || len(list) != 1 || list[0] != (heldPair{"a", "b", 0.25, true, "test"}) {
		t.Errorf("%+v, %v", list, err)
	}
	for _, text := range []string{"", "a,b\n", header + "\na,b,1.5,true,test\n", header + "\na,b,0.5,so,test\n"} {
		var place *files.Error
		if _, err := readPairs("x.csv", strings.NewReader(text)); !errors.As(err, &place) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
