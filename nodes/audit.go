package nodes

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom"
)

// Audit ranks what is probably wrong in a data set.
type Audit struct {
	Nodes    []NodeFlag // all nodes, the largest residual first
	Edges    []EdgeFlag // all edges, the largest energy first
	Detect   *Detection // nil where it is not known which nodes are corrupted
	Evidence bloom.Evidence
	Of       *bloom.Inspection // what it rests on
}

// NodeFlag is a node by ‖h_v − π(x_v)‖, its disagreement with its own features.
type NodeFlag struct {
	Node     int32
	Residual float64
}

// EdgeFlag is an edge by its energy Σ f.
type EdgeFlag struct {
	Edge, U, V int32
	Energy     float64
}

// Detection compares an audit with the truth.
type Detection struct {
	Corrupted int     // nodes that are corrupted
	Ratio     float64 // share of them among as many nodes of the largest residual
	// Clean and Spoilt count nodes by residual, in equal bins from 0 to Max.
	Clean, Spoilt []int
	Max           float64
}

// bins is the number of bins of the histograms of a Detection.
const bins = 30

// NoEnergy is the error for a model that minimises none.
type NoEnergy struct{ Recipe string }

// Error names the recipe.
func (e *NoEnergy) Error() string {
	return fmt.Sprintf("%s is a baseline without an energy, so there is nothing to take apart; train a recipe such "+
		"as base or robust", e.Recipe)
}

// Inspect takes the predictions of t apart; the error is a *NoEnergy for a baseline.
func (t *Task) Inspect() (*bloom.Inspection, error) {
	if t.Model == nil {
		return nil, &NoEnergy{t.Config.Recipe}
	}
	in, err := t.Model.Inspect(t.On)
	if err != nil {
		return nil, err
	}
	return in, errors.Join(t.finiteRows("the logits of node", in.Logits),
		t.finiteNumbers("the residual of node", in.Residuals()), t.finiteNumbers("the energy of edge",
			in.EdgeEnergies()))
}

// Audit ranks the nodes and edges of t.
func (t *Task) Audit() (*Audit, error) {
	in, err := t.Inspect()
	if err != nil {
		return nil, err
	}
	a := &Audit{Nodes: nodeFlags(in.Residuals()), Edges: edgeFlags(t, in.EdgeEnergies()), Evidence: in.Evidence, Of: in}
	if t.Data.Corrupted != nil {
		a.Detect = detect(a.Nodes, t.Data.Corrupted)
	}
	return a, nil
}

// nodeFlags sorts nodes, those with equal residuals by number.
func nodeFlags(residuals []float64) []NodeFlag {
	flags := make([]NodeFlag, len(residuals))
	for v, r := range residuals {
		flags[v] = NodeFlag{int32(v), r}
	}
	slices.SortStableFunc(flags, func(a, b NodeFlag) int { return cmp.Compare(b.Residual, a.Residual) })
	return flags
}

// edgeFlags sorts edges. Of an edge and its inverse, which are one row of the data, the sum counts.
func edgeFlags(t *Task, energies []float64) []EdgeFlag {
	g := t.Data.Graph
	flags := make([]EdgeFlag, g.NumEdges())
	for e := range flags {
		tr := g.Edge(int32(e))
		flags[e] = EdgeFlag{Edge: int32(e), U: tr.U, V: tr.V}
	}
	for e, x := range energies {
		flags[e%len(flags)].Energy += x
	}
	slices.SortStableFunc(flags, func(a, b EdgeFlag) int { return cmp.Compare(b.Energy, a.Energy) })
	return flags
}

// detect counts the corrupted nodes among the first of the ranking.
func detect(ranking []NodeFlag, corrupted []int32) *Detection {
	d := &Detection{Corrupted: len(corrupted), Clean: make([]int, bins), Spoilt: make([]int, bins)}
	if len(ranking) == 0 || len(corrupted) == 0 {
		return d
	}
	d.Max = ranking[0].Residual
	found := 0
	for i, n := range ranking {
		counts := d.Clean
		if _, bad := slices.BinarySearch(corrupted, n.Node); bad {
			counts = d.Spoilt
			if i < len(corrupted) {
				found++
			}
		}
		bin := 0
		if d.Max > 0 {
			bin = min(int(n.Residual/d.Max*bins), bins-1)
		}
		counts[bin]++
	}
	d.Ratio = float64(found) / float64(len(corrupted))
	return d
}
