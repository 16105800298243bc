package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Spec describes a graph to Build. Build reads its slices and neither modifies nor keeps them, except those of Sources.
type Spec struct {
	Nodes      int        // |V|
	Relations  int        // |R|; 0 means 1
	Triples    []Triple   // E
	Weights    []mat.Real // one per triple, finite and not negative; nil means all 1
	Features   Features   // a row per triple; the zero value means none
	NodeTypes  []int32    // one per node; nil means all 0
	Types      int        // number of node types; 0 means the number that NodeTypes needs, at least 1
	Undirected bool       // (u,r,v) also says (v,r,u); stored and counted once
	Loops      Loops      // default KeepLoops

	// DropDuplicates leaves out every edge that repeats an earlier one: same ends, same relation. The first stays, with
	// its weight and features, which are not compared. In an undirected graph (u,r,v) and (v,r,u) are the same edge.
	DropDuplicates bool

	// Instead of Triples: one source, relation and target per edge. The graph keeps these slices, Weights and Features,
	// and moves their values when edges are dropped. A nil Relation means all 0.
	Sources, Relation, Targets []int32

	LoopRelation int32 // the relation of the self loops that AddLoops adds; default 0
}

// Loops says what to do with self loops (v,r,v).
type Loops uint8

const (
	KeepLoops Loops = iota // as they come
	DropLoops              // none stays
	AddLoops               // they stay, and every node without one, in any relation, gets one of weight 1, features 0
)

// Report counts what Build changed.
type Report struct {
	Duplicates int // edges dropped because an equal one came before
	Loops      int // self loops dropped
	Added      int // self loops added; their edge ids follow all others, in the order of nodes
}

// Build returns the graph that s describes, or an error that names place and value, and no graph. It takes time and
// memory in proportion to edges, and is deterministic.
func Build(s Spec) (*Graph, error) {
	if s.Relations == 0 {
		s.Relations = 1
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	g := &Graph{nodes: s.Nodes, relations: s.Relations, undirected: s.Undirected}
	g.types, g.nodeType = s.types(), slices.Clone(s.NodeTypes)
	if s.Sources != nil {
		g.src, g.rel, g.dst, g.weight, g.features = s.Sources, s.Relation, s.Targets, s.Weights, s.Features
		if g.rel == nil {
			g.rel = make([]int32, len(g.src))
		}
	} else {
		g.split(s.Triples)
		g.weight = slices.Clone(s.Weights)
		g.features = Features{s.Features.Cols, slices.Clone(s.Features.Values)}
	}
	if s.Loops == DropLoops || s.DropDuplicates {
		g.keep(g.unwanted(s))
	}
	if s.Loops == AddLoops {
		if err := g.addLoops(s.LoopRelation); err != nil {
			return nil, err
		}
	}
	return g.finish(), nil
}

// split copies triples into the arrays of sources, relations and targets.
func (g *Graph) split(triples []Triple) {
	e := len(triples)
	g.src, g.rel, g.dst = make([]int32, e), make([]int32, e), make([]int32, e)
	src, dst := g.src[:e], g.dst[:e]
	for i := range triples {
		src[i], dst[i] = triples[i].U, triples[i].V
	}
	if g.relations > 1 {
		for i := range triples {
			g.rel[i] = triples[i].R
		}
	}
}

// types returns the number of node types: given, or one more than the largest.
func (s *Spec) types() int {
	if s.Types > 0 {
		return s.Types
	}
	if len(s.NodeTypes) == 0 {
		return 1
	}
	return int(slices.Max(s.NodeTypes)) + 1
}

// check returns an error for the first thing in s that is invalid.
func (s *Spec) check() error {
	if err := checkCounts(s.Nodes, s.Relations, s.Types, s.edges()); err != nil {
		return err
	}
	if s.Loops > AddLoops {
		return &refusal{"loops", -1, "", s.Loops, "is not KeepLoops, DropLoops or AddLoops"}
	}
	if err := below("loops", -1, "relation", s.LoopRelation, s.Relations, "relations"); err != nil {
		return err
	}
	if err := checkTriples("triple", s.Triples, s.Nodes, s.Relations); err != nil {
		return err
	}
	if err := s.checkColumns(); err != nil {
		return err
	}
	if err := s.checkWeights(); err != nil {
		return err
	}
	return s.checkTypes()
}

// edges returns the number of edges.
func (s *Spec) edges() int {
	if s.Sources != nil {
		return len(s.Sources)
	}
	return len(s.Triples)
}

// checkColumns returns an error if Sources, Relation and Targets are invalid.
func (s *Spec) checkColumns() error {
	if s.Sources != nil && s.Triples != nil {
		return &refusal{"sources", -1, "", len(s.Sources), "in number, with triples too; give one of them"}
	}
	if len(s.Targets) != len(s.Sources) || s.Relation != nil && len(s.Relation) != len(s.Sources) {
		return &refusal{"targets and relations", -1, "", fmt.Sprint(len(s.Targets), " and ", len(s.Relation)),
			fmt.Sprintf("for %d sources", len(s.Sources))}
	}
	n, r := uint32(s.Nodes), uint32(s.Relations)
	for i, u := range s.Sources {
		t := Triple{U: u, V: s.Targets[i]}
		if s.Relation != nil {
			t.R = s.Relation[i]
		}
		if uint32(t.U) >= n || uint32(t.V) >= n || uint32(t.R) >= r {
			err := checkTriples("edge", []Triple{t}, s.Nodes, s.Relations).(*refusal)
			err.Index = i
			return err
		}
	}
	return nil
}

// checkTriples returns an error for the first id that is out of range.
func checkTriples(place string, triples []Triple, nodes, relations int) error {
	n, r := uint32(nodes), uint32(relations)
	for i := range triples {
		t := &triples[i]
		if uint32(t.U) < n && uint32(t.V) < n && uint32(t.R) < r {
			continue
		}
		if err := below(place, i, "source", t.U, nodes, "nodes"); err != nil {
			return err
		}
		if err := below(place, i, "relation", t.R, relations, "relations"); err != nil {
			return err
		}
		return below(place, i, "target", t.V, nodes, "nodes")
	}
	return nil
}

func (s *Spec) checkWeights() error {
	if s.Weights != nil && len(s.Weights) != s.edges() {
		return &refusal{"weights", -1, "", len(s.Weights), fmt.Sprintf("for %d triples", s.edges())}
	}
	if err := checkWeights(s.Weights, 0); err != nil {
		return err
	}
	if err := s.Features.check(s.edges()); err != nil {
		return err
	}
	return checkFeatures(s.Features.Values, 0)
}

// checkWeights returns an error for the first weight that is negative, NaN or Inf; weights are numbered from first.
func checkWeights(weights []mat.Real, first int) error {
	for i, w := range weights {
		switch x := float64(w); {
		case math.IsNaN(x) || math.IsInf(x, 0):
			return &refusal{"weight", first + i, "", w, "is not finite"}
		case x < 0:
			return &refusal{"weight", first + i, "", w, "is negative"}
		}
	}
	return nil
}

func (s *Spec) checkTypes() error {
	if s.NodeTypes != nil && len(s.NodeTypes) != s.Nodes {
		return &refusal{"node types", -1, "", len(s.NodeTypes), fmt.Sprintf("for %d nodes", s.Nodes)}
	}
	limit := s.Types
	if limit == 0 {
		limit = math.MaxInt32
	}
	for v, t := range s.NodeTypes {
		if err := below("node", v, "type", t, limit, "types"); err != nil {
			return err
		}
	}
	return nil
}
