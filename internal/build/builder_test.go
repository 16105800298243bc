package build

import (
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/graph"
)

// TestClassTexts: 9 and 9.0 are one class, beyond 2⁵³ numbers stay what they are, and an empty text is none.
func TestClassTexts(t *testing.T) {
	b := New("f", "set")
	b.ClassTexts([]string{"10", "9", "9.0", "b", "", "a", "-1.50", "9007199254740993", "9007199254740992"})
	names := []string{"-1.5", "9", "10", "9007199254740992", "9007199254740993", "a", "b"}
	if class := []int32{2, 1, 1, 6, -1, 5, 0, 4, 3}; !slices.Equal(b.Labels.Names, names) ||
		!slices.Equal(b.Labels.Class, class) {
		t.Errorf("%q %v, want %q %v", b.Labels.Names, b.Labels.Class, names, class)
	}
}

// TestBuilder: classes without a name get one, nodes without a class are in no split, and later nodes have none.
func TestBuilder(t *testing.T) {
	b := New("f", "set")
	b.Classes([]int32{2, -1, 0}, []string{"zero"})
	if n := b.Split([]int32{0, 1}, []int32{2}, nil); n != 1 || len(b.Splits[0].Train) != 1 {
		t.Errorf("%d left out of %v", n, b.Splits)
	}
	if err := b.SplitOnce("g", []int32{0}, []int32{0}, nil); err == nil ||
		!strings.Contains(err.Error(), "g: node 0 is in the parts train and valid") {
		t.Errorf("error %v", err)
	}
	err := b.Connect(graph.Spec{Nodes: 4, Triples: []graph.Triple{{U: 0, V: 1}, {U: 0, V: 1}},
		DropDuplicates: true})
	if err != nil || b.Repeats() != 1 || !slices.Equal(b.Labels.Class, []int32{2, -1, 0, -1}) ||
		!slices.Equal(b.Labels.Names, []string{"zero", "1", "2"}) {
		t.Errorf("%v: %d repeats, %+v", err, b.Repeats(), b.Labels)
	}
	if err := b.Connect(graph.Spec{Nodes: 1, Triples: []graph.Triple{{U: 0, V: 7}}}); err == nil ||
		!strings.HasPrefix(err.Error(), "f: ") {
		t.Errorf("error %v", err)
	}
}
