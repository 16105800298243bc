package job_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/beam/internal/job"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

const columns = 6

// task is a recipe on a generated graph, with weights as training begins with them.
func task(t *testing.T, recipe string, set ...string) *node.Task {
	t.Helper()
	d, _, err := generate.Make(fmt.Sprintf("csbm:nodes=120,classes=3,features=%d,degree=6", columns))
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Options{Recipe: recipe, Set: append(set, "model.hidden=8")})
	if err != nil {
		t.Fatal(err)
	}
	out, err := node.Build(*c, d, node.Trials(*c, d)[0], node.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// part is some nodes of a graph with all of their edges, and below them their neighbours elsewhere.
type part struct {
	on    *energy.Structure
	nodes []int32 // of the graph, own ones first
	own   int
	rows  job.Rows
}

// cut is the part of nodes from first to end.
func cut(t *testing.T, g *graph.Graph, first, end int) *part {
	t.Helper()
	p, local := &part{own: end - first}, map[int32]int32{}
	number := func(v int32) int32 {
		if _, ok := local[v]; !ok {
			local[v] = int32(len(p.nodes))
			p.nodes = append(p.nodes, v)
		}
		return local[v]
	}
	for v := first; v < end; v++ {
		number(int32(v))
	}
	inside := func(v int32) bool { return int(v) >= first && int(v) < end }
	var spec graph.Spec
	for _, e := range g.Triples() {
		if inside(e.U) || inside(e.V) {
			spec.Triples = append(spec.Triples, graph.Triple{U: number(e.U), R: e.R, V: number(e.V)})
		}
	}
	spec.Nodes, spec.Relations, spec.Undirected = len(p.nodes), g.NumRelations(), g.Undirected()
	here, err := graph.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	p.on = energy.NewStructure(here)
	degrees := ad.Eval(energy.NewStructure(g).Degree()).Slice()
	for _, v := range p.nodes {
		p.on.Whole = append(p.on.Whole, degrees[v])
	}
	return p
}

// inParts are H and Σ ‖y − π‖² of all nodes by rounds in n parts.
func inParts(t *testing.T, r *job.Rounds, d bloom.Data, n int) (h, residual []mat.Real) {
	t.Helper()
	x, all := ad.Eval(d.X.Var()).Slice(), d.On.Graph.NumNodes()
	var parts []*part
	for i := range n {
		p := cut(t, d.On.Graph, i*all/n, (i+1)*all/n)
		from, to := int(p.nodes[0])*columns, (int(p.nodes[0])+p.own)*columns
		var err error
		if p.rows, err = r.FirstRows(input.Dense(mat.FromSlice(p.own, columns, x[from:to]))); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	for done := range r.Len() {
		var told []mat.Real
		for _, p := range parts {
			if a, b := len(p.rows.Told), len(p.rows.Kept); a != p.own*r.Told(done) || b != p.own*r.Kept(r.Level(done)) {
				t.Fatalf("round %d: rows of %d and %d numbers for %d nodes", done, a, b, p.own)
			}
			told = append(told, p.rows.Told...)
		}
		for _, p := range parts {
			var heard []mat.Real
			for _, v := range p.nodes {
				heard = append(heard, told[int(v)*r.Told(done):(int(v)+1)*r.Told(done)]...)
			}
			var err error
			if p.rows, err = r.Next(done, p.on, heard, p.rows.Kept); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, p := range parts {
		h, residual = append(h, p.rows.Told...), append(residual, p.rows.Kept...)
	}
	return h, residual
}

// residuals are Σ ‖y − π‖² over the levels of a stack.
func residuals(t *testing.T, s *bloom.Stack, d bloom.Data) []mat.Real {
	t.Helper()
	levels, err := s.Settle(d)
	if err != nil {
		t.Fatal(err)
	}
	sum := make([]mat.Real, d.On.Graph.NumNodes())
	for _, l := range levels {
		r, err := l.Lower(input.Evaluation(), l.On).Report(l.Y)
		if err != nil {
			t.Fatal(err)
		}
		for v, x := range r.Residual.Slice() {
			sum[v] += x * x
		}
	}
	return sum
}

// TestParts wants from parts what the stack finds on the whole graph: every kind of edge term, of algorithm and of
// level, up to rounding.
func TestParts(t *testing.T) {
	for _, kind := range []string{
		"base", "robust energy.f.norm=symmetric", "heterophily", "heterophily-huber energy.f.norm=symmetric",
		"heterophily energy.f.penalty=huber", "heterophily-edge", "bundle", "bundle energy.kappa.anchor=huber",
		"stack-bundle stack.levels=3", "stack-bundle stack.levels=2 energy.f.term=sheaf energy.steps=3",
		"stack-bundle stack.levels=2 energy.f.term=householder", "stack-bundle stack.levels=2 energy.f.term=signed",
		"stack-compat stack.levels=3 energy.f.norm=symmetric energy.steps=2", "stack-laplace stack.levels=2",
		"stack-laplace stack.levels=2 stack.residual=false stack.norm=layer",
		"halo", "halo-huber", "momentum", "adam", "attention", "unit-norm",
	} {
		words := strings.Fields(kind)
		t.Run(kind, func(t *testing.T) {
			x := task(t, words[0], words[1:]...)
			h, err := x.Stack.Embed(input.Evaluation(), x.On)
			if err != nil {
				t.Fatal(err)
			}
			want, far := ad.Eval(h).Slice(), residuals(t, x.Stack, x.On)
			r, err := job.NewRounds(x.Stack, columns)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{1, 3, 7} {
				got, residual := inParts(t, r, x.On, n)
				near(t, fmt.Sprintf("H in %d parts", n), got, want)
				near(t, fmt.Sprintf("residuals in %d parts", n), residual, far)
			}
		})
	}
}

// near compares numbers; sums of some ten terms in another order, over a dozen steps, differ by some units in the last
// place.
func near(t *testing.T, what string, got, want []mat.Real) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= 3e-5*(1+math.Abs(float64(want[i])))) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// TestElsewhere wants refusals that say what looks at more than neighbours.
func TestElsewhere(t *testing.T) {
	x := task(t, "base")
	for want, spoil := range map[string]func(*bloom.Level){
		"a step reads":  func(l *bloom.Level) { l.A = descent.Proximal(descent.Safe, descent.Degree) },
		"no steps":      func(l *bloom.Level) { l.L = 0 },
		"edges are":     func(l *bloom.Level) { l.Edges = energy.ByFeatures("edges", 1) },
		"all rows":      func(l *bloom.Level) { l.Eta = spread(t) },
		"rows that are": func(l *bloom.Level) { l.A = descent.Attention(l.A, 1, 1, 0.2, 0) },
	} {
		s := *x.Stack
		s.Levels = slices.Clone(s.Levels)
		spoil(&s.Levels[0])
		if _, err := job.NewRounds(&s, columns); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// spread is an η about all rows.
func spread(t *testing.T) energy.Constraint {
	t.Helper()
	eta, err := energy.Range(mat.Eye(2))
	if err != nil {
		t.Fatal(err)
	}
	return eta
}
