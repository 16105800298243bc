package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// The sizes that a page can show.
const (
	MaxNodes   = 200
	MaxEdges   = 2000
	MaxClasses = 4
	MaxSteps   = 64
	width      = 8 // of the plane, around 0
	height     = 6
)

// Drawing is a graph on the plane, and the energy that it has.
type Drawing struct {
	Nodes   []Node          `json:"nodes"`
	Edges   [][2]int32      `json:"edges"`
	Classes int             `json:"classes"`
	Energy  json.RawMessage `json:"energy"` // as recipe.Read has it; what it leaves out is the default
}

// Node is a dot: its place is x_v, what it says of itself.
type Node struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Class int32   `json:"class"` // from 1; 0 for a node without a label
}

// check says what of a drawing cannot be.
func (d *Drawing) check() error {
	switch n := len(d.Nodes); {
	case n == 0:
		return errors.New("there is no node yet: draw one")
	case n > MaxNodes || len(d.Edges) > MaxEdges:
		return fmt.Errorf("%d nodes and %d edges are more than a page can show, which is %d and %d", n, len(d.Edges),
			MaxNodes, MaxEdges)
	case d.Classes < 2 || d.Classes > MaxClasses:
		return fmt.Errorf("%d classes, want 2 to %d", d.Classes, MaxClasses)
	}
	for v, n := range d.Nodes {
		if !(math.Abs(n.X) <= width && math.Abs(n.Y) <= height) {
			return fmt.Errorf("node %d is at %g, %g, which is off the plane", v, n.X, n.Y)
		}
		if n.Class < 0 || int(n.Class) > d.Classes {
			return fmt.Errorf("node %d has class %d, and there are %d", v, n.Class, d.Classes)
		}
	}
	return nil
}

// graph returns the edges; a pair that is there twice, or a node with itself, counts once or not at all.
func (d *Drawing) graph() (*energy.Structure, error) {
	spec := graph.Spec{Nodes: len(d.Nodes), Relations: 1, Undirected: true, DropDuplicates: true,
		Loops: graph.DropLoops}
	for _, e := range d.Edges {
		spec.Triples = append(spec.Triples, graph.Triple{U: e[0], V: e[1]})
	}
	g, err := graph.Build(spec)
	if err != nil {
		return nil, err
	}
	return energy.NewStructure(g), nil
}

// places returns X, n×2.
func (d *Drawing) places() (x []mat.Real) {
	for _, n := range d.Nodes {
		x = append(x, mat.Real(n.X), mat.Real(n.Y))
	}
	return x
}

// labels returns the class of every node, and the nodes that have one.
func (d *Drawing) labels() (classes, known *mat.Index) {
	all, some := make([]int32, len(d.Nodes)), []int32{}
	for v, n := range d.Nodes {
		if n.Class > 0 {
			all[v], some = n.Class-1, append(some, int32(v))
		}
	}
	return mat.MustIndex(all, d.Classes), mat.MustIndex(some, len(d.Nodes)) // check has seen that they fit
}
