package kg

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/metric"
)

// inBlocks are settings with a smooth loss, for derivatives through the steps.
func inBlocks(m energy.QueryModel) Config {
	return Config{Model: m, Dim: 4, Scale: 0.7, Loss: Softmax{}, Seed: seed, Penalty: Penalty{0.05, true},
		Negatives: Negatives{Shared: 6}, Bilevel: &Bilevel{L: 3, Gamma: 0.1, Block: 4, Negatives: 5}}.filled()
}

// TestBlocks: a pass has every entity in one block, with all its facts, each once.
func TestBlocks(t *testing.T) {
	g := smallGraph(t, 10, 2, 30)
	m := newModel(inBlocks(energy.DistMult), g)
	b := newBlocks(m, g)
	for pass := range uint64(2) {
		in := map[int32]bool{}
		b.order.shuffle(pass)
		for i := range b.batches() {
			n, facts := b.number(i), 0
			for _, f := range g.Triples() {
				_, u := n.place[f.U]
				_, v := n.place[f.V]
				if u || v {
					facts++
				}
			}
			if got := n.questions(); got != 2*facts {
				t.Errorf("block %v has %d questions, want %d", n.list, got, 2*facts)
			}
			for _, v := range n.list {
				if in[v] {
					t.Errorf("entity %d is in two blocks", v)
				}
				in[v] = true
			}
		}
		if len(in) != 10 {
			t.Errorf("pass %d has %d entities", pass, len(in))
		}
	}
}

// TestBlocksDifferentiate: the derivative to E of the loss after the steps equals differences of the compiled loss.
func TestBlocksDifferentiate(t *testing.T) {
	g := smallGraph(t, 10, 2, 30)
	for _, model := range []energy.QueryModel{energy.DistMult, energy.ComplEx,
		energy.TransE(energy.NormSquared, 0), energy.RotatE(energy.NormSquared, 0)} {
		m := newModel(inBlocks(model), g)
		n := newBlocks(m, g).block([]int32{1, 4, 7}, seed)
		c, e := m.Config, m.E
		x, err := n.descend(e.Var, c.Bilevel.algorithm(), c.Bilevel.L)
		if err != nil {
			t.Fatal(err)
		}
		loss := n.factLoss(x, e.Var).Add(n.relations(e.Var))
		grad := ad.Grad(loss, e.Var)[0]
		prog := ad.Compile(loss, grad)
		at := func() float64 {
			if err := prog.Run(); err != nil {
				t.Fatal(err)
			}
			return float64(prog.Value(loss).Item())
		}
		at()
		got, rows := floats(prog.Value(grad)), e.Value().Slice()
		for j := range rows {
			const h = 2e-3 // of float32: the loss is of order 100, right to 1e-5
			old := rows[j]
			rows[j] = old + h
			e.Value().Write(rows)
			up := at()
			rows[j] = old - h
			e.Value().Write(rows)
			want := (up - at()) / (2 * h)
			rows[j] = old
			if math.Abs(got[j]-want) > 0.05*(1+math.Abs(want)) {
				t.Errorf("%T: derivative to number %d of E is %v, by differences %v", model, j, got[j], want)
			}
		}
		e.Value().Write(rows)
	}
}

// TestBlocksLearn: the model answers what it was trained on.
func TestBlocksLearn(t *testing.T) {
	d := smallData(t, 60, 3, 300)
	c := inBlocks(energy.DistMult)
	c.Dim, c.Bilevel.Block, c.Penalty = 16, 15, Penalty{}
	m := fit(t, c, d, 15)
	r, err := m.Rank(d.Graph.Triples(), metric.Candidates{Known: metric.NewKnown(d.Graph.Triples(), d.Valid, d.Test)})
	if err != nil {
		t.Fatal(err)
	}
	if mrr := metric.MRR(metric.Rankings(r), metric.Realistic); mrr < 0.2 { // chance is 0.08
		t.Errorf("MRR %.3f of training facts", mrr)
	}
	other, err := m.Embed(smallGraph(t, 40, 3, 200))
	if err != nil || other.H.Rows() != 40 {
		t.Fatalf("another graph: %v", err)
	}
	if err := other.H.Value().CheckFinite(); err != nil {
		t.Error(err)
	}
}
