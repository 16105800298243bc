package path

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// variants are all models.
func variants() []Config {
	var cs []Config
	for _, m := range []Message{DistMult, TransE, RotatE} {
		for _, a := range []Aggregate{Sum, PNA, PNAFused} {
			cs = append(cs, Config{Message: m, Aggregate: a})
		}
	}
	cs = append(cs, Config{Layered: true}, Config{Layered: true, Relations: Free, Message: RotatE},
		Config{Relations: Free}, Config{Relations: Free, Aggregate: PNA, Message: TransE, Removal: Pairs},
		Config{Removal: Pairs}, Config{Removal: Pairs, Aggregate: PNA, Temperature: 0.5}, Config{Relations: Graph})
	for i := range cs {
		cs[i] = cs[i].withDefaults()
		cs[i].Hidden, cs[i].Layers, cs[i].Batch, cs[i].Negatives, cs[i].Seed = 4, 3, 3, 2, 7
	}
	return cs
}

// graphVariant is the last of variants, Relations Graph.
func graphVariant() Config { return variants()[len(variants())-1] }

func (c Config) name() string {
	name := fmt.Sprintf("%s-%s-%s-%s", c.Message, c.Aggregate, c.Relations, c.Removal)
	if c.Layered {
		name += "-own"
	}
	return name
}

// randomFacts are facts of random nodes, some of which have none and some of which repeat.
func randomFacts(nodes, relations, n int, seed uint64) []graph.Triple {
	facts := make([]graph.Triple, n)
	for i := range facts {
		facts[i] = graph.Triple{
			U: below(mat.Mix(seed, 1), uint64(i), nodes),
			R: below(mat.Mix(seed, 2), uint64(i), relations),
			V: below(mat.Mix(seed, 3), uint64(i), nodes),
		}
	}
	return append(facts, facts[0])
}

func mustBuild(t testing.TB, nodes, relations int, facts []graph.Triple) *graph.Graph {
	t.Helper()
	g, err := graph.Build(graph.Spec{Nodes: nodes, Relations: relations, Triples: facts})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func newTrainer(t testing.TB, c Config, g *graph.Graph) *Trainer {
	t.Helper()
	_, together := mat.Default().(mat.Recorder)
	return newTrainerOf(t, c, g, together)
}

// newTrainerOf is newTrainer with queries side by side, or one by one.
func newTrainerOf(t testing.TB, c Config, g *graph.Graph, together bool) *Trainer {
	t.Helper()
	names := make([]string, g.NumRelations())
	for i := range names {
		names[i] = fmt.Sprint("r", i)
	}
	m, err := New(c, names)
	if err != nil {
		t.Fatal(err)
	}
	// Away from the kinks of ReLU at 0, where most of a fresh norm's rows stand.
	for _, p := range m.params {
		if strings.HasSuffix(p.Name, "norm.shift") {
			mat.Uniform(p.Value(), 0.1, 0.5, 3)
		}
	}
	tr, err := newTrainerOn(m, g, together, &ad.Arena{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// remaining are the edges of facts that a batch leaves, found pair by pair.
func remaining(c Config, facts []graph.Triple, relations int, qs []*naiveQuery) []graph.Triple {
	var left []graph.Triple
	for _, t := range withInverses(facts, relations) {
		hidden := false
		for _, q := range qs {
			inverse := (q.relation + int32(relations)) % int32(2*relations)
			a := q.answers[0]
			there, back := graph.Triple{U: q.head, R: q.relation, V: a}, graph.Triple{U: a, R: inverse, V: q.head}
			hidden = hidden || t == there || t == back
			if c.Removal == Pairs {
				hidden = hidden || t.U == q.head && slices.Contains(q.answers, t.V) ||
					t.V == q.head && slices.Contains(q.answers, t.U)
			}
		}
		if !hidden {
			left = append(left, t)
		}
	}
	return left
}

// drawnQueries are copies of the queries in the trainer's present batch, with their answers.
func drawnQueries(t *Trainer) []*naiveQuery {
	var qs []*naiveQuery
	for i, q := range t.batch.queries {
		answers := slices.Clone(t.batch.answersOf(i))
		qs = append(qs, &naiveQuery{head: q.head, relation: q.relation, answers: answers})
	}
	return qs
}

// TestBatchIsItsDefinition compares loss and derivatives of a batch with the naive model, on the graph without the
// edges of the batch, and derivatives by finite differences. Tolerances allow for the rounding of float32 in the
// trainer; the differences of 1e-5 in double precision are right to about 1e-9.
func TestBatchIsItsDefinition(t *testing.T) {
	const nodes, relations = 28, 2
	facts := randomFacts(nodes, relations, 22, 5)
	g := mustBuild(t, nodes, relations, facts)
	for _, way := range ways {
		for _, c := range variants() {
			t.Run(way.name+"/"+c.name(), func(t *testing.T) {
				compareBatch(t, newTrainerOf(t, c, g, way.together), facts)
			})
		}
	}
}

// ways are the two that a batch is computed in.
var ways = []struct {
	name     string
	together bool
}{{"per query", false}, {"side by side", true}}

// evaluate is the loss of a batch, of an epoch from 0 on.
func (t *Trainer) evaluate(epoch, i int) (float64, error) {
	if err := t.Batch(epoch+1, i); err != nil {
		return 0, err
	}
	return float64(t.Loss().Item()), nil
}

// compareBatch compares the second batch of tr with the naive model on facts.
func compareBatch(t *testing.T, tr *Trainer, facts []graph.Triple) {
	t.Helper()
	nodes, relations := tr.batch.nodes, len(tr.Model.Names)
	loss, err := tr.evaluate(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	tr.drawBatch(0, 1) // once more, as another one may have been drawn ahead
	qs := drawnQueries(tr)
	n := &naive{tr.Model, nodes, remaining(tr.Model.Config, facts, relations, qs)}
	f := func(v values) float64 {
		sum := 0.0
		for _, q := range qs {
			sum += q.loss(n, v) / float64(len(qs))
		}
		return sum
	}
	v := valuesOf(tr.Model)
	if want := f(v); math.Abs(loss-want) > 1e-5*math.Abs(want) {
		t.Fatalf("loss %v, want %v", loss, want)
	}
	compareGradients(t, tr, v, f)
}

func compareGradients(t *testing.T, tr *Trainer, v values, f func(values) float64) {
	t.Helper()
	const h, tolerance = 1e-5, 2e-3
	for i, p := range tr.Model.params {
		x := v[p.Name]
		for j, got := range tr.Grads()[i].Slice() {
			if j%7 != 0 && len(x) > 12 {
				continue // some of the long ones, for time
			}
			at := x[j]
			x[j] = at + h
			up := f(v)
			x[j] = at - h
			want := (up - f(v)) / (2 * h)
			x[j] = at
			if math.Abs(float64(got)-want) > tolerance*(0.05+math.Abs(want)) {
				t.Fatalf("derivative to %s[%d] is %v, want %v", p.Name, j, got, want)
			}
		}
	}
}
