package node

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/certify"
)

// steepness returns by how much the margin of two classes moves at most if the row of features that π and the layers
// after the descent read moves by 1; nil if π is not a perceptron of the row alone. Where nothing is between two
// matrices but a linear descent they are multiplied, otherwise norms are:
//
//	‖W_a − W_b‖ Π ‖W‖₂        W: of the last layer, and of those before it
func (t *Trained) steepness(l descent.Local, m *certify.Model) func(a, b int32) float64 {
	p, ok := t.alone().Pi.(perceptron)
	if !ok {
		return nil
	}
	layers, lead, ok := p.Rectified()
	if !ok || lead || !sameValues(t.alone().Pi, t.On.X, l) {
		return nil
	}
	var all [][][]float64
	for _, x := range layers {
		all = append(all, rows(ad.Eval(x.W.Var)))
	}
	for i, x := range m.Layers {
		if last := len(all) - 1; i == 0 && m.Linear && !m.Lead {
			all[last] = product(all[last], x.Weight)
		} else {
			all = append(all, x.Weight)
		}
	}
	if len(m.Layers) == 0 && !m.Linear { // the identity after a descent that is not linear
		all = append(all, identityOf(len(m.Pi)))
	}
	factor, last := 1.0, all[len(all)-1]
	for _, w := range all[:len(all)-1] {
		factor *= spectral(w)
	}
	return func(a, b int32) float64 {
		sum := 0.0
		for _, row := range last {
			sum += (row[a] - row[b]) * (row[a] - row[b])
		}
		return factor * math.Sqrt(sum)
	}
}

// sameValues reports whether the descent pulls to π of the features itself.
func sameValues(pi input.Model, x input.Features, l descent.Local) bool {
	got := ad.Eval(pi.Forward(input.Evaluation(), x)).Slice()
	for i, want := range l.Pi.Slice() {
		if math.Abs(float64(got[i]-want)) > 1e-5*(1+math.Abs(float64(want))) {
			return false
		}
	}
	return true
}

func product(a, b [][]float64) [][]float64 {
	out := make([][]float64, len(a))
	for i, row := range a {
		out[i] = make([]float64, len(b[0]))
		for j, x := range row {
			for k, y := range b[j] {
				out[i][k] += x * y
			}
		}
	}
	return out
}

func identityOf(n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
		out[i][i] = 1
	}
	return out
}

// spectral returns at least the spectral norm of w, of k columns, and at most k^(1/256) times it:
//
//	‖w‖₂ = ‖G‖₂^½ ≤ ‖G⁶⁴‖_F^(1/128)        G = wᵀ w
func spectral(w [][]float64) float64 {
	k := len(w[0])
	g := make([][]float64, k)
	for i := range g {
		g[i] = make([]float64, k)
		for _, row := range w {
			for j := range k {
				g[i][j] += row[i] * row[j]
			}
		}
	}
	log := 0.0 // of ‖Gᵖ‖_F, and Gᵖ is divided by it
	for power := 1.0; ; power *= 2 {
		size := 0.0
		for _, row := range g {
			for _, x := range row {
				size += x * x
			}
		}
		if size == 0 {
			return 0
		}
		log += math.Log(math.Sqrt(size)) / power
		if power == 64 {
			return math.Exp(log / 2)
		}
		for _, row := range g {
			for j := range row {
				row[j] /= math.Sqrt(size)
			}
		}
		g = product(g, g)
	}
}
