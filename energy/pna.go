package energy

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// LeastVariance keeps the root of the deviation in PNA away from 0, where it has no derivative.
const LeastVariance = 1e-6

// pna returns the principal neighbourhood aggregation, n×12d: mean, largest, smallest and deviation of the messages to
// v and of x_v; then the four times s; then the four divided by s. If there are no messages, their largest and smallest
// count as 0.
func (r Received) pna(v Nodes) ad.Var {
	on := v.On.arrivals()
	u, e := v.Held.Gather(v.On.Source()), r.E.Gather(v.On.Relation())
	m := r.Message.Query(u, e)
	if w := v.On.EdgeWeight(); !w.IsZero() {
		m = m.Mul(w)
	}
	s := ad.RelStats(on.messages, m, ad.Fill(mat.Shape{Rows: 1, Cols: m.Cols()}, 1), false)
	if _, sum := r.Message.(transE); sum && r.Aggregate == AggregatePNAFused {
		s.Square = u.Square().Add(e.Square()).SegmentSum(v.On.Target())
	}
	mean := s.Sum.Add(v.X).Mul(on.share)
	variance := s.Square.Add(v.X.Square()).Mul(on.share).Sub(mean.Square())
	deviation := variance.Max(ad.Fill(mean.Shape(), LeastVariance)).Sqrt()
	a := ad.Concat(mean, s.Max.Max(v.X), s.Min.Min(v.X), deviation)
	return ad.Concat(a, a.Mul(on.scale), a.Mul(on.inverse))
}

// arrivals are the edges by target, and how many there are.
type arrivals struct {
	messages *mat.Triples // target, number of the edge, 0
	share    ad.Var       // 1/c, n×1, c being the edges into v and one more
	scale    ad.Var       // s = log c / mean log c; 0 where no node has an edge
	inverse  ad.Var       // 1/s, 1/s being 100 at most
}

// arrivals of the graph.
func (s *Structure) arrivals() arrivals { return s.arriving.get(s.newArrivals) }

func (s *Structure) newArrivals() arrivals {
	n, m := s.Graph.NumNodes(), s.Graph.NumEdges()
	ids := [3][]int32{s.Graph.Targets(), make([]int32, m), make([]int32, m)}
	for e := range ids[1] {
		ids[1][e] = int32(e)
	}
	t, err := mat.NewTriples([3]int{n, m, 1}, ids)
	if err != nil {
		panic("energy: graph with " + err.Error())
	}
	total, logs := 0.0, make([]float64, n)
	share, scale, inverse := make([]mat.Real, n), make([]mat.Real, n), make([]mat.Real, n)
	for v, d := range s.Graph.Degrees(graph.Incoming) {
		share[v], logs[v] = 1/mat.Real(d+1), math.Log(float64(d+1))
		total += logs[v]
	}
	for v, x := range logs {
		if total > 0 {
			x *= float64(n) / total
		}
		scale[v], inverse[v] = mat.Real(x), mat.Real(1/max(x, 0.01))
	}
	return arrivals{t, column(share), column(scale), column(inverse)}
}
