package importer

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
)

// TestHeadless: edges and triples without a header are read whole, whatever the order of their columns; a header is no
// edge, and numbers are no relations.
func TestHeadless(t *testing.T) {
	for _, x := range []struct {
		name, text string
		want       []string // source relation target, of all links
	}{
		{"subject relation object",
			"ann\tknows\tbob\nbob\tknows\tcat\ncat\tlikes\tdan\ndan\tknows\tann\neve\tlikes\tann\n",
			[]string{"ann knows bob", "bob knows cat", "cat likes dan", "dan knows ann", "eve likes ann"}},
		{"relation subject object", "knows,ann,bob\nknows,bob,cat\nlikes,cat,dan\nknows,dan,ann\nlikes,eve,ann\n",
			[]string{"ann knows bob", "bob knows cat", "cat likes dan", "dan knows ann", "eve likes ann"}},
		{"pairs", "ann,bob\nbob,cat\n", []string{"ann  bob", "bob  cat"}},
		{"pairs below a header", "user,friend\nann,bob\nbob,cat\n", []string{"ann  bob", "bob  cat"}},
		{"numbers", "1,2,1\n2,3,1\n3,4,1\n", []string{"1  2", "2  3", "3  4"}},
	} {
		dir := tables(t, map[string]string{"e.csv": x.text})
		d, _, err := Run(t.Context(), Spec{Edges: []Input{{Table: filepath.Join(dir, "e.csv")}}, Direction: Directed,
			Split: Split{None: true}})
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		if got := named(d); !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
}

// named are the links of d by their names.
func named(d *dataset.Dataset) (list []string) {
	for _, t := range d.Graph.Triples() {
		relation := ""
		if len(d.Relations) > 0 {
			relation = d.Relations[t.R]
		}
		list = append(list, d.IDs.At(t.U)+" "+relation+" "+d.IDs.At(t.V))
	}
	return list
}
