package node

import (
	"errors"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/certify"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/task"
)

// newClosedCertifier returns the certifier of a closed form whose weights are held as they are.
func newClosedCertifier(t *Trained, f *closedForm, goal *classes, c task.Changes) (*certifier, error) {
	g := t.Data.Graph
	switch {
	case t.Averaged() != "":
		return nil, task.Usage("the answers are averages of several models; %s", certifiable)
	case g.Weights() != nil:
		return nil, task.Usage("closed forms are certified on edges without weights; --set data.weights=none trains " +
			"without weights")
	case !simple(g):
		return nil, task.Usage("%s; %s", directed, certifiable)
	}
	l, err := f.asLinear()
	if err != nil {
		return nil, err
	}
	terms, offset, err := l.Terms()
	if errors.Is(err, fit.ErrPlace) || errors.Is(err, fit.ErrUnfiltered) {
		return nil, task.Usage("%w; %s", err, certifiable)
	}
	if err != nil {
		return nil, err
	}
	x := &certifier{Problem: t.problem(c), model: &certify.Model{Offset: offset}}
	for i := range terms {
		y := &terms[i]
		part := certify.Channel{Lambda: y.Lambda, Powers: y.Powers, Z: y.Z, Gram: y.Gram, Tail: y.Tail(), Unit: y.Unit}
		if y.Unit {
			part.Norm, part.Gap = l.Steps(y, x.Near)
		}
		x.model.Channels = append(x.model.Channels, part)
	}
	x.shift(goal)
	x.model.Held = func(near [][]int32) ([]float64, error) {
		now, err := joined(near)
		if err != nil {
			return nil, err
		}
		z, err := l.Held(now)
		for at := range z {
			z[at] += x.model.Offset[at%len(offset)] - offset[at%len(offset)]
		}
		return z, err
	}
	return x, x.predict(t, goal)
}

// joined returns the graph of lists of neighbours.
func joined(near [][]int32) (*graph.Graph, error) {
	s := graph.Spec{Nodes: len(near), Undirected: true}
	for v, list := range near {
		for _, u := range list {
			if int32(v) < u {
				s.Sources, s.Targets = append(s.Sources, int32(v)), append(s.Targets, u)
			}
		}
	}
	return graph.Build(s)
}
