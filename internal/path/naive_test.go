package path

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/graph"
)

// The model once more, edge by edge and number by number in float64.

// values are the parameters of a model, by name.
type values map[string][]float64

func valuesOf(m *Model) values {
	v := values{}
	for _, p := range m.params {
		for _, x := range p.Value().Slice() {
			v[p.Name] = append(v[p.Name], float64(x))
		}
	}
	return v
}

// naive is the model on a graph, given as facts with their inverses.
type naive struct {
	*Model
	nodes int
	edges []graph.Triple
}

// withInverses is every fact and its inverse.
func withInverses(facts []graph.Triple, relations int) []graph.Triple {
	var edges []graph.Triple
	for _, t := range facts {
		edges = append(edges, t, graph.Triple{U: t.V, R: t.R + int32(relations), V: t.U})
	}
	return edges
}

// linear is x·W + b for W with len(b) columns.
func linear(x, w, b []float64) []float64 {
	z := append([]float64(nil), b...)
	for i, v := range x {
		for j := range z {
			z[j] += v * w[i*len(z)+j]
		}
	}
	return z
}

// scores are the scores of all nodes as answers to the query of head and relation.
func (n *naive) scores(v values, head, relation int32) []float64 {
	d := n.Hidden
	q, e := n.brings(v, relation)
	x := make([][]float64, n.nodes)
	for i := range x {
		x[i] = make([]float64, d)
	}
	copy(x[head], q)
	h := x
	for l := range n.Layers {
		name := ""
		if n.layered() {
			name = fmt.Sprintf("entities.%d.", l)
		}
		h = n.layer(v, name, h, x, e[min(l, len(e)-1)])
	}
	scores := make([]float64, n.nodes)
	for i := range scores {
		w := append(append([]float64(nil), v["out1.W"]...), v["out1.Wq"]...)
		z := linear(append(append([]float64(nil), h[i]...), q...), w, v["out1.b"])
		for j := range z {
			z[j] = max(z[j], 0)
		}
		scores[i] = linear(z, v["out2.W"], v["out2.b"])[0]
	}
	return scores
}

// brings is what a query brings along: its q, and e of every layer or of all.
func (n *naive) brings(v values, relation int32) (q []float64, e [][]float64) {
	d := n.Hidden
	switch n.Relations {
	case Graph:
		return n.related(v, relation)
	case Free:
		e = [][]float64{v["relations"]}
		q = v["query"][int(relation)*d : (int(relation)+1)*d]
	default:
		q = v["query"][int(relation)*d : (int(relation)+1)*d]
		e = [][]float64{linear(q, v["relations.W"], v["relations.b"])}
	}
	return q, slices.Collect(slices.Chunk(e[0], n.numRelations()*d))
}

// related asks the graph of relations: every pair of edges with a common entity joins their relations. What is sent is
// named as the receiver sees it: relation a has its head, say, at the tail of the sender b, and relation r has the row
// of its inverse in e.
func (n *naive) related(v values, relation int32) (q []float64, e [][]float64) {
	d, number := n.Hidden, n.numRelations()
	joined := map[graph.Triple]bool{}
	for _, a := range n.edges {
		for _, b := range n.edges {
			for k, is := range []bool{a.U == b.U, a.V == b.V, a.U == b.V, a.V == b.U} {
				if is {
					joined[graph.Triple{U: b.R, R: int32(k), V: a.R}] = true
				}
			}
		}
	}
	of := &naive{Model: &Model{Config: Config{Hidden: d, Message: DistMult, Aggregate: Sum}}, nodes: number}
	for t := range joined {
		of.edges = append(of.edges, t)
	}
	x := make([][]float64, number)
	for i := range x {
		x[i] = make([]float64, d)
	}
	for c := range d {
		x[int(relation)%(number/2)][c] = 1
	}
	h := x
	for l := range n.Layers {
		name := fmt.Sprintf("relations.%d.", l)
		h = of.layer(v, name, h, x, v[name+"kinds"])
	}
	for l := range n.Layers {
		name := fmt.Sprintf("relations.%d.", l)
		var rows []float64
		for r := range h {
			z := linear(h[(r+number/2)%number], v[name+"in.W"], v[name+"in.b"])
			for j := range z {
				z[j] = max(z[j], 0)
			}
			rows = append(rows, linear(z, v[name+"out.W"], v[name+"out.b"])...)
		}
		e = append(e, rows)
	}
	return h[relation], e
}

// layer is h + relu(norm([h, a] W + b)), for weights whose names begin with the given text.
func (n *naive) layer(v values, name string, h, x [][]float64, e []float64) [][]float64 {
	a := n.aggregate(h, x, e)
	w := append(append([]float64(nil), v[name+"own.W"]...), v[name+"aggregated.W"]...)
	next := make([][]float64, len(h))
	for i := range h {
		z := linear(append(append([]float64(nil), h[i]...), a[i]...), w, v[name+"b"])
		mean, variance := 0.0, 0.0
		for _, y := range z {
			mean += y / float64(len(z))
		}
		for _, y := range z {
			variance += (y - mean) * (y - mean) / float64(len(z))
		}
		for c, y := range z {
			y = (y-mean)/math.Sqrt(variance+1e-5)*v[name+"norm.scale"][c] + v[name+"norm.shift"][c]
			next[i] = append(next[i], h[i][c]+max(y, 0))
		}
	}
	return next
}

// message is what an edge sends, and what its second moment is made of.
func (n *naive) message(h, e []float64) (m, square []float64) {
	d := len(h)
	for c := range d {
		switch n.Message {
		case DistMult:
			m = append(m, h[c]*e[c])
		case TransE:
			m = append(m, h[c]+e[c])
		case RotatE:
			z := complex(h[c%(d/2)], h[c%(d/2)+d/2]) * complex(e[c%(d/2)], e[c%(d/2)+d/2])
			if c < d/2 {
				m = append(m, real(z))
			} else {
				m = append(m, imag(z))
			}
		}
		s := m[c] * m[c]
		if n.Message == TransE && n.Aggregate == PNAFused {
			s = h[c]*h[c] + e[c]*e[c]
		}
		square = append(square, s)
	}
	return m, square
}

// aggregate is a: the sum of the messages and x, or their moments with three scalings each.
func (n *naive) aggregate(h, x [][]float64, e []float64) [][]float64 {
	messages, squares := make([][][]float64, len(h)), make([][][]float64, len(h))
	for _, t := range n.edges {
		m, s := n.message(h[t.U], e[int(t.R)*n.Hidden:(int(t.R)+1)*n.Hidden])
		messages[t.V], squares[t.V] = append(messages[t.V], m), append(squares[t.V], s)
	}
	mean := 0.0
	for _, m := range messages {
		mean += math.Log(float64(len(m)+1)) / float64(len(messages))
	}
	a := make([][]float64, len(h))
	for i := range a {
		if n.Aggregate == Sum {
			a[i] = naiveSum(messages[i], x[i])
			continue
		}
		s := math.Log(float64(len(messages[i])+1)) / mean
		moments := naiveMoments(messages[i], squares[i], x[i])
		for _, f := range []float64{1, s, 1 / max(s, 0.01)} {
			for _, y := range moments {
				a[i] = append(a[i], f*y)
			}
		}
	}
	return a
}

func naiveSum(messages [][]float64, x []float64) []float64 {
	sum := append([]float64(nil), x...)
	for _, m := range messages {
		for c := range sum {
			sum[c] += m[c]
		}
	}
	return sum
}

// naiveMoments is mean, maximum, minimum and deviation. Where there are no messages the largest and the
// smallest of them count as 0.
func naiveMoments(messages, squares [][]float64, x []float64) []float64 {
	d := len(x)
	out := make([]float64, 4*d)
	for c := range d {
		sum, square, most, least := x[c], x[c]*x[c], math.Inf(-1), math.Inf(1)
		for i, m := range messages {
			sum, square = sum+m[c], square+squares[i][c]
			most, least = max(most, m[c]), min(least, m[c])
		}
		if len(messages) == 0 {
			most, least = 0, 0
		}
		n := float64(len(messages) + 1)
		out[c], out[d+c], out[2*d+c] = sum/n, max(most, x[c]), min(least, x[c])
		out[3*d+c] = math.Sqrt(max(square/n-sum/n*sum/n, 1e-6))
	}
	return out
}

// naiveQuery is a query of a batch with its answers.
type naiveQuery struct {
	head, relation int32
	answers        []int32
	frozen         []float64 // weights of the wrong answers, once they are known
}

// loss is the loss of q; the first call freezes the weights of the wrong answers.
func (q *naiveQuery) loss(n *naive, v values) float64 {
	scores := n.scores(v, q.head, q.relation)
	if q.frozen == nil {
		sum := 0.0
		for _, a := range q.answers[1:] {
			q.frozen = append(q.frozen, math.Exp(scores[a]/n.Temperature))
			sum += math.Exp(scores[a] / n.Temperature)
		}
		for i := range q.frozen {
			q.frozen[i] /= sum
		}
	}
	loss := softplus(-scores[q.answers[0]])
	for i, a := range q.answers[1:] {
		loss += q.frozen[i] * softplus(scores[a])
	}
	return loss / 2
}

func softplus(x float64) float64 { return math.Log1p(math.Exp(x)) }
