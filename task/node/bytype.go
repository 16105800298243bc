package node

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// byType is π of a graph with several node types: a model for each, as their features have nothing in common. Nodes
// of a type without features have a trained row each.
type byType struct {
	parts []typePart
}

type typePart struct {
	kind  int
	nodes *mat.Index // of this type, ascending
	x     input.Features
	model input.Model
}

var (
	_ input.Model    = (*byType)(nil)
	_ input.Stateful = (*byType)(nil)
)

// newByType builds the parts of π, all of them out columns wide.
func newByType(c config.Model, d *dataset.Dataset, out int, seed uint64) (*byType, error) {
	m := &byType{}
	for t := range d.Graph.NumTypes() {
		ids := d.Graph.NodesOfType(int32(t))
		nodes, err := mat.NewIndex(ids, d.Graph.NumNodes())
		if err != nil {
			return nil, err
		}
		x := input.None(len(ids))
		if t < len(d.Features) && d.Features[t].Cols > 0 {
			if x, err = load(d.Features[t]); err != nil {
				return nil, fmt.Errorf("features of %s: %w", d.TypeName(int32(t)), err)
			}
		}
		if len(ids) == 0 {
			continue
		}
		if x.Shape().Cols > 0 && c.Before == 0 {
			return nil, &train.BadSetting{Key: "model.before", Value: "0",
				Want: "1 or more: features of different types have nothing in common"}
		}
		model, err := part("pi."+d.TypeName(int32(t)), c, x, out, seed)
		if err != nil {
			return nil, err
		}
		m.parts = append(m.parts, typePart{t, nodes, x, model})
	}
	return m, nil
}

// modelFor returns the model of a type that has nodes.
func (m *byType) modelFor(kind int) input.Model {
	return m.parts[slices.IndexFunc(m.parts, func(p typePart) bool { return p.kind == kind })].model
}

// Forward puts the rows of every type where its nodes are; it ignores x.
func (m *byType) Forward(c input.Context, _ input.Features) ad.Var {
	var h ad.Var
	for i, p := range m.parts {
		rows := p.model.Forward(c, p.x).SegmentSum(p.nodes)
		if i == 0 {
			h = rows
		} else {
			h = h.Add(rows)
		}
	}
	return h
}

// Params returns the parameters of the models of all types, type by type.
func (m *byType) Params() []*ad.Param {
	var ps []*ad.Param
	for _, p := range m.parts {
		ps = append(ps, p.model.Params()...)
	}
	return ps
}

// State returns the state that these models keep besides their parameters, type by type.
func (m *byType) State() []*ad.Param {
	var ps []*ad.Param
	for _, p := range m.parts {
		if s, ok := p.model.(input.Stateful); ok {
			ps = append(ps, s.State()...)
		}
	}
	return ps
}

// hash returns the number of a name.
func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
