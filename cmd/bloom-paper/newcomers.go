package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task/fact"
	"github.com/bloomgml/bloom/train"
)

// heldShare is the share of the entities that is held out, and heldSeed says which.
const (
	heldShare = 0.05
	heldSeed  = 99
)

// settleSteps are the numbers of steps that are tried.
var settleSteps = []int{1, 2, 5, 10, 20, 50}

// The measures of new entities; all MRRs are over test facts about them.
const (
	retrained = "retrained" // MRR of a model that was trained with their facts
	kept      = "kept"      // MRR after ten steps, as a share of that
	timeShare = "time"      // ten steps, as a share of the time of that training
)

// measureNewcomers trains without some of the entities, places them by steps of descent on their facts, and trains
// again with them.
//
// Chosen: both trainings take their last epoch, as validation facts about new entities would choose for one of them
// alone.
func measureNewcomers(ctx context.Context, j job) (Outcome, error) {
	c := j.config
	c.Train.Repeat = 1
	h, err := holdOut(j.data, heldShare, heldSeed)
	if err != nil {
		return Outcome{}, err
	}
	n := newcomers{h, metric.NewKnown(h.Whole.Graph.Triples(), h.Whole.Valid, h.Whole.Test, h.Old.Valid)}
	base, _, err := n.train(ctx, c, h.Old)
	if err != nil {
		return Outcome{}, err
	}
	full, again, err := n.train(ctx, c, h.Whole)
	if err != nil {
		return Outcome{}, err
	}
	best, err := n.mrr(full)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Numbers: map[string]float64{retrained: 100 * best}}
	placed := Curve{Panel: j.cell.String(), Name: "placed by steps"}
	limit := Curve{Panel: j.cell.String(), Name: "trained again"}
	for _, steps := range settleSteps {
		begin := time.Now()
		m, _, err := base.Add(h.Names, h.Facts, kg.Settle{L: steps})
		if err != nil {
			return Outcome{}, err
		}
		seconds := time.Since(begin).Seconds()
		mrr, err := n.mrr(m)
		if err != nil {
			return Outcome{}, err
		}
		o.Numbers[fmt.Sprintf("L=%d", steps)] = 100 * mrr
		if steps == 10 {
			o.Valid, o.Numbers[kept], o.Numbers[timeShare] = 100*mrr, 100*mrr/best, 100*seconds/again
		}
		placed.X, placed.Y = append(placed.X, float64(steps)), append(placed.Y, 100*mrr)
		limit.X, limit.Y = append(limit.X, float64(steps)), append(limit.Y, 100*best)
	}
	o.Curves = []Curve{placed, limit}
	return o, nil
}

// newcomers are entities that were held out, with all facts that are known about them.
type newcomers struct {
	*heldOut
	known *metric.Known
}

// train returns a model and the seconds that it took.
func (newcomers) train(ctx context.Context, c config.Config, d *dataset.Dataset) (*kg.Model, float64, error) {
	facts := *d
	facts.Valid = nil
	dir, err := os.MkdirTemp("", "bloom-newcomers-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	r, err := fact.Run(ctx, c, &facts, fact.Options{Untested: true, Options: train.Options{Dir: dir}})
	if err != nil {
		return nil, 0, err
	}
	m, err := kg.Load(train.ModelFile(r.Run))
	return m, r.Seconds, err
}

// mrr returns the filtered mean reciprocal rank of the test facts about new entities, from 0 to 1.
func (n newcomers) mrr(m *kg.Model) (float64, error) {
	r, err := m.Evaluate(n.Whole, n.Whole.Test, metric.Candidates{Known: n.known})
	if err != nil {
		return 0, err
	}
	return r.MRR, nil
}

// heldOut is a knowledge graph some of whose entities are taken to be new.
type heldOut struct {
	Whole *dataset.Dataset // all entities, the new ones last; its test facts are those about new ones
	Old   *dataset.Dataset // the others alone
	Names []string         // of the new ones
	Facts []graph.Triple   // training facts about them, by the numbers of Whole
}

// holdOut takes a share of the entities of d out, chosen by a hash of the seed.
func holdOut(d *dataset.Dataset, share float64, seed uint64) (*heldOut, error) {
	n := d.Graph.NumNodes()
	k := n - int(math.Round(share*float64(n)))
	number := numbering(n, k, seed)
	all := make([]string, n)
	for v, to := range number {
		all[to] = d.IDs.At(int32(v))
	}
	train, facts := divided(d.Graph.Triples(), number, k)
	valid, validNew := divided(d.Valid, number, k)
	_, test := divided(d.Test, number, k)
	h := &heldOut{Names: all[k:], Facts: facts}
	var err error
	if h.Old, err = withFacts(d, all[:k], train); err != nil {
		return nil, err
	}
	if h.Whole, err = withFacts(d, all, slices.Concat(train, facts)); err != nil {
		return nil, err
	}
	h.Old.Valid = valid
	h.Whole.Valid, h.Whole.Test = slices.Concat(valid, validNew), test
	return h, nil
}

// numbering gives n entities new numbers: k of them the numbers below k, the others the rest, each group in its old
// order.
func numbering(n, k int, seed uint64) []int32 {
	number := make([]int32, n)
	in, out := int32(0), int32(k)
	for v := range number {
		left, room := n-v, n-int(out)
		if float64(mat.Mix(seed, uint64(v))>>11)/(1<<53)*float64(left) < float64(room) {
			number[v], out = out, out+1
		} else {
			number[v], in = in, in+1
		}
	}
	return number
}

// divided returns the facts by their new numbers: those among the first k entities, and those about another.
func divided(list []graph.Triple, number []int32, k int) (same, about []graph.Triple) {
	for _, f := range list {
		f.U, f.V = number[f.U], number[f.V]
		if int(f.U) >= k || int(f.V) >= k {
			about = append(about, f)
		} else {
			same = append(same, f)
		}
	}
	return same, about
}

// withFacts returns a knowledge graph with the relations of d.
func withFacts(d *dataset.Dataset, names []string, facts []graph.Triple) (*dataset.Dataset, error) {
	g, err := graph.Build(graph.Spec{Nodes: len(names), Relations: d.Graph.NumRelations(), Triples: facts})
	if err != nil {
		return nil, err
	}
	return &dataset.Dataset{Name: d.Name, Graph: g, IDs: dataset.NewIDs(names), Relations: d.Relations,
		Metric: d.Metric}, nil
}
