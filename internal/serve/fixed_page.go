package serve

import (
	"context"
	"errors"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// apart is what a run that stays as it is knows beside its answers.
type apart struct {
	coverage float64           // of sets and intervals; 0 where there are none
	taken    *bloom.Inspection // nil before the first explanation, and of baselines
}

func (f *fixed) about() About {
	a := aboutOf(f.task, f.called)
	a.Coverage, a.Fixed = f.coverage, f.why
	return a
}

// conform makes answers come with sets or intervals, where there are validation nodes enough for that.
func (f *fixed) conform(coverage float64) error {
	_, err := f.said.Conform(node.Conforming{Coverage: coverage})
	var few *train.BadData
	switch {
	case errors.As(err, &few):
		return nil
	case err == nil:
		f.coverage = coverage
	}
	return err
}

func (f *fixed) search(ctx context.Context, text string, most int) ([]Answer, int, error) {
	d := f.task.Data
	ids, all := search(text, most, func(yield func(string) bool) {
		for v := range int32(d.Graph.NumNodes()) {
			if !yield(d.NodeName(v)) {
				return
			}
		}
	})
	answers, err := f.Answer(ctx, ids)
	for i := range answers {
		answers[i].ID = ids[i] // with its type, where there are several
	}
	return answers, all, err
}

// Explain takes the answer about a node apart, as bloom explain does. Of a baseline, which has no energy, its edges are
// listed alone.
func (f *fixed) Explain(ctx context.Context, id string, edits []Edit) (*Explanation, error) {
	if len(edits) > 0 {
		return nil, &Conflict{f.why}
	}
	answers, err := f.Answer(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	v, err := f.task.Data.Node(id)
	if err != nil {
		return nil, &NoNode{ID: id}
	}
	answers[0].ID = f.task.Data.NodeName(v)
	x := &Explanation{Answer: answers[0], Edges: []EdgeShare{}, Settling: []float64{}}
	if err := f.takeApart(x, v); err != nil {
		return nil, err
	}
	x.shorten()
	return x, surroundings{f.neighbours, f.tell}.draw(x, v)
}

// takeApart fills the parts of the energy of v.
func (f *fixed) takeApart(x *Explanation, v int32) (err error) {
	if f.taken == nil && f.task.Stack != nil {
		if f.taken, err = f.task.Inspect(0); err != nil {
			return err
		}
	}
	if f.taken == nil {
		for _, u := range f.neighbours(v) {
			x.Edges = append(x.Edges, EdgeShare{Weight: 1, v: u})
		}
		return nil
	}
	if x.Columns, err = f.task.Task.NodeShares(f.taken, v); err != nil {
		return err
	}
	e := f.taken.Node(v)
	x.Total, x.Own, x.OwnPull, x.Residual = e.Total, e.Own, e.OwnPull, e.Residual
	if e.Second >= 0 {
		x.Second = f.task.Data.Labels.Names[e.Second]
	}
	for _, s := range e.Edges {
		x.Edges = append(x.Edges, EdgeShare{Weight: 1, Energy: s.Energy, Pull: s.Pull, v: s.Other})
	}
	return nil
}

// neighbours are the nodes that share an edge with v, ascending, without v.
func (f *fixed) neighbours(v int32) []int32 {
	g := f.task.Data.Graph
	in, _ := g.In().Row(int(v))
	out, _ := g.Out().Row(int(v))
	all := slices.Concat(in, out)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(u int32) bool { return u == v })
}

// tell answers for nodes by their numbers.
func (f *fixed) tell(list []int32) ([]Answer, error) {
	var out []Answer
	for p := range f.said.Only(list).Each {
		p.ID = f.task.Data.NodeName(list[len(out)])
		out = append(out, Answer{Prediction: p})
	}
	return out, nil
}
