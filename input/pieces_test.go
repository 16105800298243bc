package input_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// TestPieces compares the encoding under a layer of known weights with its formula.
func TestPieces(t *testing.T) {
	knots := [][]float64{{0, 1, 4}, {5}, {-2, 2}}
	p := input.NewPieces("pi", knots)
	if p.Columns() != 3 {
		t.Fatalf("%d pieces, want 3", p.Columns())
	}
	l := input.NewLinear("pi", 3, 1, 1)
	l.W.Value().Write([]mat.Real{1, 10, 100})
	m := p.Before(l)
	for _, c := range []struct {
		x    []mat.Real
		want float64
	}{
		{[]mat.Real{-3, 7, -2}, 0}, {[]mat.Real{0.25, 7, 0}, 0.25 + 50}, {[]mat.Real{2.5, 0, 1e6}, 1 + 5 + 100},
		{[]mat.Real{4, 0, 1}, 1 + 10 + 75}, {[]mat.Real{1e9, 0, -1e9}, 11},
	} {
		y := m.Forward(input.Evaluation(), input.Dense(mat.FromSlice(1, 3, c.x)))
		prog := ad.Compile(y)
		if err := prog.Run(); err != nil {
			t.Fatal(err)
		}
		if got := float64(prog.Value(y).Item()); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%v: %g, want %g", c.x, got, c.want)
		}
	}
	if state := m.(input.Stateful).State(); len(state) != 2 || len(m.Params()) != 2 {
		t.Errorf("%d in the state, %d parameters", len(state), len(m.Params()))
	}
}

// An encoding of one column with knots 0, 1 and 4, under a layer that adds its pieces up.
func ExampleNewPieces() {
	p := input.NewPieces("pi", [][]float64{{0, 1, 4}})
	l := input.NewLinear("pi", p.Columns(), 1, 1)
	l.W.Value().Write([]mat.Real{1, 1})
	y := p.Before(l).Forward(input.Evaluation(), input.Dense(mat.FromSlice(3, 1, []mat.Real{0.5, 2.5, 9})))
	prog := ad.Compile(y)
	if err := prog.Run(); err != nil {
		panic(err)
	}
	fmt.Println(prog.Value(y).Slice())
	// Output: [0.5 1.5 2]
}
