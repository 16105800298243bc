package workload

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// KG is a knowledge graph workload: Edges triples of random entities and relations, trained in
// batches with negatives that are drawn anew for every batch.
type KG struct {
	Shape             // Nodes entities, Edges triples, Hidden dimensions, Steps layers
	Relations     int // of the triples; inverse relations come on top where a model needs them
	Batch         int // triples a batch
	Negatives     int // a triple, and a side where a model corrupts both
	Part          int // queries that one run of the program takes; 0 for the whole batch
	Rate          mat.Real
	expressed     func(*builder, *KG) (loss ad.Var, draw drawer) // nil for the model of package kg
	messageMoment bool                                           // PNA: mean, maximum, minimum and deviation of messages, not their sum
}

// KGs are the three workloads.
var KGs = []KG{
	{
		Shape:     Shape{Name: "distmult", Nodes: 14541, Edges: 272115, Hidden: 200, Steps: 1},
		Relations: 237, Batch: 1024, Negatives: 64, Rate: 1e-3,
	},
	{
		Shape:     Shape{Name: "path-sum", Nodes: 2746, Edges: 5410, Hidden: 32, Steps: 6},
		Relations: 9, Batch: 32, Negatives: 32, Part: 2, Rate: 5e-3, expressed: path,
	},
	{
		Shape:     Shape{Name: "path-pna", Nodes: 2746, Edges: 5410, Hidden: 32, Steps: 6},
		Relations: 9, Batch: 32, Negatives: 32, Part: 2, Rate: 5e-3, expressed: path, messageMoment: true,
	},
}

// drawer puts part p of the batch with the given seed in place.
type drawer func(seed uint64, p int)

func newKG(id ID) *Workload {
	k := id.KG
	if k.expressed == nil {
		return newDistMult(id)
	}
	b := &builder{shape: id.Shape, clock: &ad.Clock{Seed: seed}}
	w := &Workload{ID: id, Edges: k.Edges, Batches: (k.Edges + k.Batch - 1) / k.Batch}
	w.adam = mat.AdamConfig{Rate: k.Rate, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
	loss, draw := k.expressed(b, k)
	w.compile(b, loss)
	w.parts = newParts(draw, k.Batch/k.queries(), b.params)
	return w
}

// queries is how many queries one run of the program takes.
func (k *KG) queries() int {
	if k.Part == 0 {
		return k.Batch
	}
	return k.Part
}

// parts runs a batch part by part and adds up the derivatives, in order. The queries of a batch meet
// in the loss alone, so the sum is that of the whole batch; the state of a few queries stays in cache
// where that of all of them would not.
type parts struct {
	draw drawer
	n    int
	sums []*mat.Dense // by parameter; nil for one part
}

func newParts(draw drawer, n int, params []*ad.Param) *parts {
	p := &parts{draw: draw, n: n}
	for _, x := range params {
		if n > 1 {
			p.sums = append(p.sums, mat.New(x.Rows(), x.Cols()))
		}
	}
	return p
}

// run is the loss and the derivatives of the batch that w's clock names.
func (p *parts) run(w *Workload) mat.Real {
	var loss mat.Real
	for part := range p.n {
		p.draw(mat.Mix(w.clock.Seed, w.clock.Epoch), part)
		must(w.prog.Run())
		loss += w.prog.Value(w.loss).Item()
		for i, sum := range p.sums {
			if g := w.prog.Value(w.grads[i]); part == 0 {
				mat.Copy(sum, g)
			} else {
				mat.Axpby(sum, sum, g, 1, 1)
			}
		}
	}
	return loss
}
