package testkit

import (
	"cmp"
	"testing"

	"github.com/bloomgml/bloom/part"
)

// Known checks every part of a table against what is known of it: inputs with answers that were worked out by hand, or
// by a naive line of code that shares nothing with the part. A part of which nothing is known fails t, and so does what
// is known of no part.
func Known[T, V any](t *testing.T, k part.Kind[T], known map[string][]V, check func(*testing.T, part.Part[T], V)) {
	t.Helper()
	named := map[string]bool{}
	for _, p := range k.Parts {
		named[p.Name] = true
		t.Run(cmp.Or(p.Name, "number"), func(t *testing.T) {
			if len(known[p.Name]) == 0 {
				t.Errorf("%s %q has no known values: add inputs and answers to the table of this test", k.Name, p.Name)
			}
			for _, v := range known[p.Name] {
				check(t, p, v)
			}
		})
	}
	for name := range known {
		if !named[name] {
			t.Errorf("values are known of %s %q, which is not in the table", k.Name, name)
		}
	}
}
