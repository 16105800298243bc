package path

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// TestRefactorStepIsMessages writes a step out as messages: to both ends of every fact, and the softmax's.
func TestRefactorStepIsMessages(t *testing.T) {
	const nodes, relations = 9, 2
	r := NewRefactor(RefactorConfig{Hidden: 3, Layers: 1, Seed: 5}, []string{"a", "b"})
	facts := randomFacts(nodes, relations, 12, 3)
	f, err := newRefactored(r, mustBuild(t, nodes, relations, facts))
	if err != nil {
		t.Fatal(err)
	}
	mat.Normal(f.states.Value(), 0, 1, 4)
	got := ad.Eval(f.steps()).Slice()
	h, e := f.states.Value().Slice(), r.relations.Value().Slice()
	row := func(x []mat.Real, i int32) []mat.Real { return x[3*i : 3*i+3] }
	message, count := make([]float64, len(h)), make([]float64, nodes)
	send := func(v int32, factor float64, a, b []mat.Real) {
		for c := range 3 {
			message[3*int(v)+c] += factor * float64(a[c]*b[c])
		}
	}
	for _, q := range withInverses(facts, relations) {
		u, rel, v := row(h, q.U), row(e, q.R), row(h, q.V)
		count[q.V]++
		send(q.U, 1, rel, v)
		send(q.V, 1, rel, u)
		p, sum := make([]float64, nodes), 0.0
		for w := range p {
			for c := range 3 {
				p[w] += float64(u[c] * rel[c] * row(h, int32(w))[c])
			}
			p[w] = math.Exp(p[w])
			sum += p[w]
		}
		for w := range p {
			send(q.U, -p[w]/sum, rel, row(h, int32(w)))
			send(int32(w), -p[w]/sum, rel, u)
		}
	}
	for i := range h {
		want := float64(h[i])*(1-r.Step*r.Decay) + r.Step*message[i]/max(1, count[i/3])
		if math.Abs(float64(got[i])-want) > 1e-4*(1+math.Abs(want)) { // float32
			t.Errorf("entry %d is %v, want %v", i, got[i], want)
		}
	}
}

// TestRefactorOnFamilies: new people get states by descent alone, and facts about them rank well above chance.
func TestRefactorOnFamilies(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	d := families(t, "family:families=5,twin=3")
	r := NewRefactor(RefactorConfig{Seed: 1}, d.Relations)
	tr, err := NewRefactorTrainer(r, d.Graph)
	if err != nil {
		t.Fatal(err)
	}
	train(t, tr, 0.03, 24)
	e, err := r.Evaluate(context.Background(), d.Twin, d.Twin.Test, metric.Candidates{})
	if err != nil {
		t.Fatal(err)
	}
	if got := hits10of50(e); got < 0.4 { // chance is 0.2
		t.Errorf("hits@10_50 on the twin is %v", got)
	}
}

// TestRefactorStatesStayInBall: steps that are far too long for relations of length 1000 end on the ball and not at
// infinity.
func TestRefactorStatesStayInBall(t *testing.T) {
	const nodes, relations = 9, 2
	r := NewRefactor(RefactorConfig{Hidden: 3, Layers: 4, Step: 100, Seed: 5}, []string{"a", "b"})
	mat.Normal(r.relations.Value(), 0, 1000, 1)
	f, err := newRefactored(r, mustBuild(t, nodes, relations, randomFacts(nodes, relations, 12, 3)))
	if err != nil {
		t.Fatal(err)
	}
	mat.Normal(f.states.Value(), 0, 1, 4)
	lengths := ad.Eval(f.steps().Square().SumCols().Sqrt()).Slice()
	for v, length := range lengths {
		if !(float64(length) <= radius*1.0001) { // float32
			t.Errorf("state %d has length %v", v, length)
		}
	}
	if most := slices.Max(lengths); float64(most) < radius*0.999 {
		t.Errorf("the longest state has length %v: the ball was not reached, and nothing was tested", most)
	}
}
