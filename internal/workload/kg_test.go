package workload

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// The tests here write the models down once more, fact by fact and number by number in float64, and
// compare loss and derivatives.

// weights are the parameters of a workload, by name.
type weights map[string][]float64

func weightsOf(w *Workload) weights {
	values := weights{}
	for _, p := range w.params {
		for _, x := range p.Value().Slice() {
			values[p.Name] = append(values[p.Name], float64(x))
		}
	}
	return values
}

// tiny is model number i on a graph that finite differences can go through.
func tiny(i int) ID {
	k := KGs[i]
	k.Shape = Shape{Name: k.Name, Nodes: 9, Edges: 14, Hidden: 4, Steps: 2}
	k.Relations, k.Batch, k.Negatives = 2, 4, 3
	k.Part = min(k.Part, 2)
	return ID{k.Shape, "", &k}
}

// compareWithNaive checks loss and derivatives of w's first batch against f. Tolerances are those of
// float32 in w; f is in double precision, and its differences of 1e-5 are right to about 1e-9.
func compareWithNaive(t *testing.T, w *Workload, f func(weights) float64) {
	t.Helper()
	w.clock.Epoch = 1
	loss := float64(w.evaluate())
	values := weightsOf(w)
	if want := f(values); math.Abs(loss-want) > 1e-5*math.Abs(want) {
		t.Fatalf("loss %v, want %v", loss, want)
	}
	const h, tolerance = 1e-5, 1e-3
	for i, p := range w.params {
		x := values[p.Name]
		for j, got := range w.gradient(i).Slice() {
			at := x[j]
			x[j] = at + h
			up := f(values)
			x[j] = at - h
			want := (up - f(values)) / (2 * h)
			x[j] = at
			if math.Abs(float64(got)-want) > tolerance*(0.1+math.Abs(want)) {
				t.Fatalf("derivative to %s[%d] is %v, want %v", p.Name, j, got, want)
			}
		}
	}
}

func softplus(x float64) float64 { return math.Log1p(math.Exp(x)) }

func TestPathIsItsDefinition(t *testing.T) {
	for i := 1; i <= 2; i++ {
		id := tiny(i)
		t.Run(id.Name, func(t *testing.T) {
			w, batch := New(id), newPathBatch(id.KG)
			var queries []*naiveQuery
			for part := range id.KG.Batch / id.KG.queries() {
				batch.draw(mat.Mix(seed, 1), part)
				for i := range id.KG.queries() {
					queries = append(queries, newNaiveQuery(batch, i))
				}
			}
			compareWithNaive(t, w, func(v weights) float64 {
				loss := 0.0
				for _, q := range queries {
					loss += q.loss(v) / float64(2*len(queries))
				}
				return loss
			})
		})
	}
}

// naiveQuery is one query of the path model.
type naiveQuery struct {
	*KG
	facts   triples
	query   int
	start   int
	answers []int
	frozen  []float64 // weights of the corrupted answers, once they are known
}

func newNaiveQuery(b *pathBatch, i int) *naiveQuery {
	n, wide := b.KG.queries(), 1+b.Negatives
	q := &naiveQuery{KG: b.KG, facts: b.facts, query: int(b.asked[i]), start: int(b.starts[i]) / n}
	for _, row := range b.answers[i*wide : (i+1)*wide] {
		q.answers = append(q.answers, int(row)/n)
	}
	return q
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

func (q *naiveQuery) loss(v weights) float64 {
	d := q.Hidden
	embedding := v["query"][q.query*d : (q.query+1)*d]
	relations := linear(embedding, v["relations.W"], v["relations.b"])
	x := make([][]float64, q.Nodes)
	for i := range x {
		x[i] = make([]float64, d)
	}
	copy(x[q.start], embedding)
	h := x
	for range q.Steps {
		h = q.layer(v, h, x, relations)
	}
	scores := make([]float64, len(q.answers))
	for i, a := range q.answers {
		w := append(append([]float64(nil), v["out1.W"]...), v["out1.Wq"]...)
		z := linear(append(append([]float64(nil), h[a]...), embedding...), w, v["out1.b"])
		for j := range z {
			z[j] = max(z[j], 0)
		}
		scores[i] = linear(z, v["out2.W"], v["out2.b"])[0]
	}
	if q.frozen == nil {
		q.frozen = naiveSoftmax(scores[1:])
	}
	loss := softplus(-scores[0])
	for i, s := range scores[1:] {
		loss += q.frozen[i] * softplus(s)
	}
	return loss
}

func naiveSoftmax(x []float64) []float64 {
	sum, p := 0.0, make([]float64, len(x))
	for i, v := range x {
		p[i] = math.Exp(v)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// layer is h + relu(norm([h, a] W + b)).
func (q *naiveQuery) layer(v weights, h, x [][]float64, relations []float64) [][]float64 {
	a := q.aggregate(h, x, relations)
	w := append(append([]float64(nil), v["own.W"]...), v["aggregated.W"]...)
	next := make([][]float64, len(h))
	for i := range h {
		z := linear(append(append([]float64(nil), h[i]...), a[i]...), w, v["b"])
		mean, variance := 0.0, 0.0
		for _, y := range z {
			mean += y / float64(len(z))
		}
		for _, y := range z {
			variance += (y - mean) * (y - mean) / float64(len(z))
		}
		for c, y := range z {
			y = (y-mean)/math.Sqrt(variance+1e-5)*v["norm.scale"][c] + v["norm.shift"][c]
			next[i] = append(next[i], h[i][c]+max(y, 0))
		}
	}
	return next
}

// aggregate is a: the sum of the messages and x, or their moments with three scalings each.
func (q *naiveQuery) aggregate(h, x [][]float64, relations []float64) [][]float64 {
	messages := make([][][]float64, len(h))
	for e, u := range q.facts.head {
		m := make([]float64, q.Hidden)
		for c := range m {
			m[c] = h[u][c] * relations[int(q.facts.relation[e])*q.Hidden+c]
		}
		messages[q.facts.tail[e]] = append(messages[q.facts.tail[e]], m)
	}
	mean := 0.0
	for _, m := range messages {
		mean += math.Log(float64(len(m)+1)) / float64(len(messages))
	}
	a := make([][]float64, len(h))
	for i := range a {
		if !q.messageMoment {
			a[i] = naiveSum(messages[i], x[i])
			continue
		}
		s := math.Log(float64(len(messages[i])+1)) / mean
		moments := naiveMoments(messages[i], x[i])
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
func naiveMoments(messages [][]float64, x []float64) []float64 {
	d := len(x)
	out := make([]float64, 4*d)
	for c := range d {
		sum, square, most, least := x[c], x[c]*x[c], math.Inf(-1), math.Inf(1)
		for _, m := range messages {
			sum, square = sum+m[c], square+m[c]*m[c]
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

// TestPartsAddUp: a batch in one part has the loss and the derivatives of a batch in many.
func TestPartsAddUp(t *testing.T) {
	id := smallKGs(3)[2]
	whole := *id.KG
	whole.Part = whole.Batch
	a, b := New(id), New(ID{whole.Shape, "", &whole})
	a.clock.Epoch, b.clock.Epoch = 1, 1
	// Tolerance: the same numbers of float32 are added in another order.
	if x, y := a.evaluate(), b.evaluate(); math.Abs(float64(x-y)) > 1e-5*float64(y) {
		t.Errorf("loss %v in parts, %v at once", x, y)
	}
	for i, p := range a.params {
		x, y := a.gradient(i).Slice(), b.gradient(i).Slice()
		for j := range x {
			if math.Abs(float64(x[j]-y[j])) > 1e-4 {
				t.Fatalf("derivative to %s[%d]: %v in parts, %v at once", p.Name, j, x[j], y[j])
			}
		}
	}
}
