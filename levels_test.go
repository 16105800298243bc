package bloom_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// TestPullsOfLevels: at every level of a stack the pulls on a node add up to how fast its own margin grows, through all
// levels above, when its row goes down the energy of the level, which differences of the margin tell too.
func TestPullsOfLevels(t *testing.T) {
	levels, err := tower(t, 9).Place(ring(t, 9, 5))
	if err != nil {
		t.Fatal(err)
	}
	others := 0.0
	for k, l := range levels {
		in, err := l.Inspect(l.On)
		if err != nil {
			t.Fatal(err)
		}
		h := ad.Input(in.H)
		slope := ad.Eval(ad.Grad(l.Lower(input.Evaluation(), l.On).Total(h), h)[0])
		for v := range int32(9) {
			about, err := in.About(v, -1)
			if err != nil {
				t.Fatal(err)
			}
			x := about.Node(v)
			sum := x.OwnPull
			for _, e := range x.Edges {
				sum += e.Pull
			}
			margin := func(by float64) float64 {
				z := ad.Eval(l.Head(input.Evaluation(), ad.Const(moved(in.H, slope, v, by)))).Slice()
				row := z[int(v)*in.Logits.Cols():]
				return float64(row[x.Class] - row[x.Second])
			}
			const by = 2e-2 // differences of float32 are good to three digits here
			want := (margin(-by) - margin(by)) / (2 * by)
			if math.Abs(sum-want) > 2e-2*math.Abs(want)+1e-4 {
				t.Errorf("level %d, node %d: pulls add up to %v, differences have %v", k+1, v, sum, want)
			}
			others = max(others, math.Abs(in.Node(v).OwnPull-x.OwnPull))
		}
		if k+1 == len(levels) != (others < 1e-6) { // at the last one a margin is a function of the node's own row
			t.Errorf("level %d: pulls at all margins differ from those at one by %v", k+1, others)
		}
		others = 0
	}
}

// moved is h with the row of v moved along that of slope.
func moved(h, slope *mat.Dense, v int32, by float64) *mat.Dense {
	z, d := h.Slice(), h.Cols()
	for j, s := range slope.Slice()[int(v)*d : int(v+1)*d] {
		z[int(v)*d+j] += mat.Real(by * float64(s))
	}
	return mat.FromSlice(h.Rows(), d, z)
}
