package main

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/graph"
)

// TestHoldOut: every fact is in one place, by the same names; old facts name no new entity, and the test facts and the
// facts apart each name one.
func TestHoldOut(t *testing.T) {
	d, err := catalogue.Open("family:families=3,twin=2")
	if err != nil {
		t.Fatal(err)
	}
	const share = 0.2
	h, err := holdOut(d, share, 5)
	if err != nil {
		t.Fatal(err)
	}
	n := d.Graph.NumNodes()
	if got := len(h.Names); got != int(math.Round(share*float64(n))) || h.Old.Graph.NumNodes()+got != n ||
		h.Whole.Graph.NumNodes() != n {
		t.Fatalf("%d of %d entities held out", got, n)
	}
	type fact [3]string
	count := map[fact]int{}
	for _, f := range d.Graph.Triples() {
		count[fact{d.IDs.At(f.U), d.Relations[f.R], d.IDs.At(f.V)}]++
	}
	for _, f := range h.Whole.Graph.Triples() {
		count[fact{h.Whole.IDs.At(f.U), h.Whole.Relations[f.R], h.Whole.IDs.At(f.V)}]--
	}
	for f, c := range count {
		if c != 0 {
			t.Errorf("%v: %d times more or less", f, c)
		}
	}
	fresh := func(f graph.Triple) bool { return int(max(f.U, f.V)) >= h.Old.Graph.NumNodes() }
	for _, f := range append(h.Facts, h.Whole.Test...) {
		if !fresh(f) {
			t.Errorf("%v names no new entity", f)
		}
	}
	if h.Old.Graph.NumEdges()+len(h.Facts) != d.Graph.NumEdges() || len(h.Whole.Valid) != len(d.Valid) ||
		len(h.Whole.Test) == 0 {
		t.Errorf("%d old and %d new facts of %d", h.Old.Graph.NumEdges(), len(h.Facts), d.Graph.NumEdges())
	}
}
