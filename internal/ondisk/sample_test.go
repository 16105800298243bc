package ondisk

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// ring is n nodes, each joined with the k before and after it, cut into rows of each nodes.
func ring(n, k, each int) NeighbourRows {
	return func(wanted func(int, int) bool, yield func(int, []int64, []int32) error) error {
		for first := 0; first < n; first += each {
			if !wanted(first, min(first+each, n)) {
				continue
			}
			ptr, idx := []int64{0}, []int32{}
			for v := first; v < min(first+each, n); v++ {
				for d := 1; d <= k; d++ {
					idx = append(idx, int32((v+d)%n), int32((v+n-d)%n))
				}
				slices.Sort(idx[ptr[len(ptr)-1]:])
				ptr = append(ptr, int64(len(idx)))
			}
			if err := yield(first, ptr, idx); err != nil {
				return err
			}
		}
		return nil
	}
}

// With as many neighbours as there are, a node of a ring brings those at both sides, and these theirs.
func ExampleBatches() {
	b := Divide([]int32{0, 5}, SampleOptions{Batch: 1, Fanout: 2, Hops: 2}, 1)
	parts, _ := b.DrawParts(ring(10, 1, 10), 0, 2, 0)
	slices.SortFunc(parts, func(a, b SamplePart) int { return int(a.Nodes[a.Seeds[0]] - b.Nodes[b.Seeds[0]]) })
	for _, p := range parts {
		fmt.Println(p.Nodes, p.Nodes[p.Seeds[0]])
	}
	// Output:
	// [0 1 2 8 9] 0
	// [3 4 5 6 7] 5
}

// drawnParts are the parts of all batches.
func drawnParts(rows NeighbourRows, seeds []int32, o SampleOptions, seed uint64) ([]SamplePart, error) {
	b := Divide(seeds, o, seed)
	return b.DrawParts(rows, 0, b.Len(), 0)
}

// TestDrawSome: parts are the same when some are asked for at a time, and none come where there are too many nodes.
func TestDrawSome(t *testing.T) {
	rows, o := ring(200, 5, 13), SampleOptions{Batch: 10, Fanout: 3, Hops: 2}
	for name, b := range map[string]*Batches{"divided": Divide([]int32{3, 5, 8, 20, 21, 22, 90, 91, 92, 150, 151, 199},
		SampleOptions{Batch: 3, Fanout: 3, Hops: 2}, 7), "in order": InOrder(200, o, 7)} {
		all, err := b.DrawParts(rows, 0, b.Len(), 0)
		if err != nil {
			t.Fatal(err)
		}
		nodes := 0
		for i, want := range all {
			nodes += len(want.Nodes)
			if one, err := b.DrawParts(rows, i, i+1, 0); err != nil || !reflect.DeepEqual(one[0], want) {
				t.Errorf("%s: part %d is %v alone, %v among others, %v", name, i, one, want, err)
			}
		}
		if none, err := b.DrawParts(rows, 0, b.Len(), nodes-1); none != nil || err != nil {
			t.Errorf("%s: %d nodes are drawn where there may be %d", name, nodes, nodes-1)
		}
		if all, err := b.DrawParts(rows, 0, b.Len(), nodes); all == nil || err != nil {
			t.Errorf("%s: %d nodes are not drawn where there may be as many", name, nodes)
		}
	}
}

// TestDraw: every seed is in one batch, batches are of nearly one size, nodes are in order and come in by way of the
// ring, not too many of them, and cutting rows changes nothing.
func TestDraw(t *testing.T) {
	const n, k = 200, 5
	var seeds []int32
	for v := int32(0); v < n; v += 3 {
		seeds = append(seeds, v)
	}
	o := SampleOptions{Batch: 10, Fanout: 3, Hops: 2}
	parts, err := drawnParts(ring(n, k, n), seeds, o, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range []int{1, 13, 64} {
		if cut, err := drawnParts(ring(n, k, each), seeds, o, 7); err != nil || !reflect.DeepEqual(cut, parts) {
			t.Errorf("rows of %d give other parts, %v", each, err)
		}
	}
	if other, _ := drawnParts(ring(n, k, n), seeds, o, 8); reflect.DeepEqual(other, parts) {
		t.Error("another seed gives the same parts")
	}
	var found []int32
	for _, p := range parts {
		if !slices.IsSorted(p.Nodes) || len(slices.Compact(slices.Clone(p.Nodes))) != len(p.Nodes) {
			t.Fatalf("nodes %v", p.Nodes)
		}
		if len(p.Seeds) < 9 || len(p.Seeds) > 10 || len(p.Nodes) > len(p.Seeds)*(1+3+9) {
			t.Errorf("%d seeds and %d nodes", len(p.Seeds), len(p.Nodes))
		}
		for _, v := range p.Nodes {
			near := slices.ContainsFunc(p.Seeds, func(s int32) bool {
				d := (int(v-p.Nodes[s]) + n) % n
				return min(d, n-d) <= o.Hops*k
			})
			if !near {
				t.Errorf("node %d is near none of its seeds", v)
			}
		}
		for _, s := range p.Seeds {
			found = append(found, p.Nodes[s])
		}
	}
	if slices.Sort(found); !slices.Equal(found, seeds) {
		t.Errorf("batches hold %v", found)
	}
}

// TestSome draws every neighbour equally often: 400 times 3 of 8, each 150 times; deviations are below √(400·3/8·5/8) =
// 10, of which 5 are allowed.
func TestSome(t *testing.T) {
	count := make([]float64, 8)
	for i := range uint64(400) {
		drawn := some(nil, 8, 3, mat.Mix(1, i))
		if slices.Sort(drawn); len(slices.Compact(drawn)) != 3 {
			t.Fatal(drawn)
		}
		for _, x := range drawn {
			count[x]++
		}
	}
	for x, n := range count {
		if math.Abs(n-150) > 50 {
			t.Errorf("%d was drawn %v times", x, n)
		}
	}
}

// TestMeans follows two rows of three, twice: the first time a mean is what was found, then it moves by 1 − ρ.
func TestMeans(t *testing.T) {
	m := NewMeans(3, 1, SampleOptions{Gamma: 4, Forget: 0.75})
	rows := mat.MustIndex([]int32{2, 0}, 3)
	h := ad.NewParam("h", mat.FromSlice(2, 1, []mat.Real{1, 2}))
	c := input.Training(nil)
	m.Follow(c.Updates, rows, h.Var)
	next := c.Updates.Outputs()
	weight := ad.NewParam("all", m.known.Value()).Scale(4)
	for _, want := range [][]mat.Real{{2, 0, 1}, {2.25, 0, 1.5}} {
		prog := ad.Compile(next...)
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		c.Updates.Apply([]*mat.Dense{prog.Value(next[0]), prog.Value(next[1])})
		if got := m.State()[0].Value().Slice(); !slices.Equal(got, want) {
			t.Errorf("means %v, want %v", got, want)
		}
		if got := ad.Eval(weight).Slice(); !slices.Equal(got, []mat.Real{4, 0, 4}) {
			t.Errorf("weights %v", got)
		}
		h.Value().Write([]mat.Real{3, 3})
	}
}
