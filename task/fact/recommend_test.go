package fact

import (
	"context"
	"slices"
	"testing"
)

// TestRecommend: never the entity itself, nor what is there in either direction, held out or not; all else is.
func TestRecommend(t *testing.T) {
	for _, name := range []string{"distmult", "path"} {
		c, d := opened(t, name, "family:families=1,twin=0", "train.epochs=1", "model.hidden=4")
		r, err := Run(context.Background(), c, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		there := map[[3]string]bool{}
		facts := slices.Concat(d.Graph.Triples(), d.Valid, d.Test)
		for _, f := range facts {
			u, relation, v := d.IDs.At(f.U), d.Relations[f.R], d.IDs.At(f.V)
			there[[3]string{u, relation, v}], there[[3]string{v, relation, u}] = true, true
		}
		n, who := d.Graph.NumNodes(), d.IDs.At(facts[0].U)
		list, err := Of(r).Recommend(who, 2*n*len(d.Relations))
		if err != nil {
			t.Fatal(err)
		}
		known := 0
		for x := range there {
			if x[0] == who || x[2] == who {
				known++
			}
		}
		if want := 2*(n-1)*len(d.Relations) - known; len(list) != want {
			t.Errorf("%s: %d facts, want %d", name, len(list), want)
		}
		for i, s := range list {
			if there[[3]string{s.Head, s.Relation, s.Tail}] || s.Head == s.Tail || s.Rank != i+1 ||
				i > 0 && s.Score > list[i-1].Score || s.Head != who && s.Tail != who {
				t.Fatalf("%s: %+v", name, s)
			}
		}
		if few, err := Of(r).Recommend(who, 3); err != nil || !slices.Equal(few, list[:3]) {
			t.Errorf("%s: %v, want %v, error %v", name, few, list[:3], err)
		}
		if _, err := Of(r).Recommend("nobody at all", 3); err == nil {
			t.Error("nobody has facts")
		}
	}
}
