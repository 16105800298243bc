package solve

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/graph"
)

// join puts the edges of g between rows, which have none.
func (s *State) join(g *graph.Graph) error {
	if st := g.Stats(); !g.Undirected() || st.Loops > 0 || st.Duplicates > 0 {
		return fmt.Errorf("live: want undirected edges without loops and repeats")
	}
	p, w := g.Normalize(graph.None, graph.KeepLoops)
	s.of = make([]list, g.NumNodes())
	for v := range s.of {
		l, lo, hi := &s.of[v], p.Ptr[v], p.Ptr[v+1]
		l.near = slices.Clone(p.Idx[lo:hi])
		if g.Weights() != nil {
			for _, a := range w[lo:hi] {
				l.weight = append(l.weight, float64(a))
			}
		}
		if !slices.IsSorted(l.near) {
			return fmt.Errorf("live: node %d: its neighbours are not in order", v)
		}
		l.own, l.degree = true, l.sumWeights()
	}
	s.edges = g.NumEdges()
	return nil
}

// held is the weight of an edge: as a float32 holds it, as in data sets, or at the minimum exactly, so that the bound
// is about the weight that was asked for.
func (s *State) held(w float64) float64 {
	if s.form.tolerance > 0 {
		return w
	}
	return float64(float32(w))
}

// Connect puts an edge of weight w between u and v, who have none.
func (s *State) Connect(u, v int32, w float64) error {
	if u == v {
		return fmt.Errorf("an edge from a node to itself")
	}
	if _, ok := s.list(u).find(v); ok {
		return fmt.Errorf("the edge exists already")
	}
	if err := checkWeight(w); err != nil {
		return err
	}
	for _, e := range [2][2]int32{{u, v}, {v, u}} {
		s.of[s.writable(e[0])].insert(e[1], s.held(w))
		s.rewired(e[0])
	}
	s.edges++
	return nil
}

// Separate takes away the edge between u and v.
func (s *State) Separate(u, v int32) error {
	if _, ok := s.list(u).find(v); !ok {
		return fmt.Errorf("there is no such edge")
	}
	for _, e := range [2][2]int32{{u, v}, {v, u}} {
		s.of[s.writable(e[0])].cut(e[1])
		s.rewired(e[0])
	}
	s.edges--
	return nil
}

// Fade multiplies the weights of all edges by f, which is between 0 and 1.
func (s *State) Fade(f float64) {
	for v := range int32(s.nodes) {
		if len(s.list(v).near) > 0 {
			s.of[s.writable(v)].fade(f, s.held)
			s.rewired(v)
		}
	}
}

// least is the smallest weight that a float32 holds to its full precision.
const least = 0x1p-126

// checkWeight refuses a weight that a float32 does not hold to its full precision.
func checkWeight(w float64) error {
	const most = math.MaxFloat32
	if !(w >= least && w <= most) {
		return fmt.Errorf("weight %g, want a number from %.2g to %.2g", w, least, most)
	}
	return nil
}

// rewired touches v, whose edges changed, and the neighbours that divide its row by its degree.
func (s *State) rewired(v int32) {
	l := &s.of[s.writable(v)]
	s.edited = append(s.edited, v)
	s.touch(v)
	l.degree = l.sumWeights()
	if !s.form.held && s.form.Norm != graph.None {
		s.touchAll(l.near)
	}
}
