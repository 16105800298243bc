package serve

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	bgraph "github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

var randomEdits = flag.Int("edits", 0, "how many edits TestCorrect makes, on real and large data; 0: few, on small")

// TestCorrect: after random edits, in batches of random sizes, every state is what L steps in double precision are from
// scratch, or within its bound of the minimum, which is then found in double precision from scratch.
//
//	BLOOM_DATA=… go test ./internal/serve -run Correct -edits 10000 -v -timeout 2h
func TestCorrect(t *testing.T) {
	sets := map[string]int{"cora": 200, "tolokers": 200,
		"csbm:nodes=169343,degree=13.67401,features=64,classes=10": 2000}
	if *randomEdits == 0 {
		sets = map[string]int{"csbm:nodes=400,features=6": 200}
	}
	for data, batch := range sets {
		for _, norm := range []string{"none", "symmetric"} {
			t.Run(data+" "+norm, func(t *testing.T) { correct(t, data, norm, batch, Options{}) })
			t.Run(data+" "+norm+" minimum", func(t *testing.T) { correct(t, data, norm, batch, Options{Settle: true}) })
		}
	}
}

// correct makes edits, at most batch at once, and compares after every third of them.
func correct(t *testing.T, data, norm string, batch int, o Options) {
	task := briefly(t, data, norm)
	l, steps, _ := task.Local()
	usual := rms(l.Pi.Slice(), l.Pi.Rows())
	g, err := newGraph(t.Context(), task, o)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 9))
	all := max(300, *randomEdits)
	for made, third := 0, 1; made < all; {
		made += g.someEdits(t, rng, min(all-made, 1+rng.IntN(batch)))
		if made >= third*all/3 {
			third++
			g.compare(t, made, steps, usual)
		}
	}
}

// briefly is a run of base on data, hardly trained.
func briefly(t *testing.T, data, norm string) *node.Trained {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: "base", Data: data, Set: []string{
		"train.epochs=2", "model.hidden=16", "energy.f.norm=" + norm}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := catalogue.Open(data)
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := node.Run(t.Context(), *c, d, node.Options{Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	task, err := node.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// someEdits makes one batch.
func (g *graph) someEdits(t *testing.T, rng *rand.Rand, n int) int {
	t.Helper()
	var batch []Edit
	used := map[string]bool{}
	for range n {
		e := g.anyEdit(rng, used)
		for _, id := range e.nodes() {
			used[id] = true
		}
		batch = append(batch, e)
	}
	d, err := g.edited(t.Context(), batch)
	if err != nil {
		t.Fatalf("a batch of %d: %v", n, err)
	}
	d.commit()
	return n
}

// compare compares every state with the truth; usual is the usual length of a row.
func (g *graph) compare(t *testing.T, made, steps int, usual float64) {
	t.Helper()
	far, part, truth := 0.0, 0.0, newOracle(g).after(steps)
	if g.settled {
		truth = newOracle(g).after(2000)
	}
	for v := range int32(g.state.Nodes()) {
		var sum float64
		for j, x := range g.state.Row(v) {
			want := truth[int(v)*g.state.Cols()+j]
			sum += (float64(x) - want) * (float64(x) - want)
		}
		most := 1e-6 * float64(steps) * usual // rounding in single precision, a step after the other
		if g.settled {
			most = g.state.Bound(v)
		}
		far, part = max(far, math.Sqrt(sum)/usual), max(part, math.Sqrt(sum)/most)
		if part > 1 || g.state.Bound(v) > g.state.Widest() {
			t.Fatalf("after %d edits: node %d is %g away, %g is allowed", made, v, math.Sqrt(sum), most)
		}
	}
	t.Logf("%d edits, %d nodes, %d edges: states at most %.2g of the usual length of a row away, %.2g of what is "+
		"allowed", made, g.state.Nodes(), g.state.Edges(), far, part)
}

func rms[T float32 | float64](x []T, rows int) float64 {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(rows))
}

// anyEdit is an edit that can be made after others, which concern the nodes that are used.
func (g *graph) anyEdit(rng *rand.Rand, used map[string]bool) Edit {
	for {
		u, v := rng.Int32N(int32(g.state.Nodes())), rng.Int32N(int32(g.state.Nodes()))
		if near := g.state.Neighbours(u); rng.IntN(2) == 0 && len(near) > 0 {
			v = near[rng.IntN(len(near))]
		}
		if a, b := g.id(u), g.id(v); u != v && !g.hidden.has(u) && !g.hidden.has(v) && !used[a] && !used[b] {
			return g.editOf(rng, u, v, a, b)
		}
	}
}

func (g *graph) editOf(rng *rand.Rand, u, v int32, a, b string) Edit {
	row := &Row{ID: a}
	for _, x := range g.features(v) {
		row.Features = append(row.Features, float64(x))
	}
	switch rng.IntN(20) {
	case 0:
		row.ID = fmt.Sprintf("new %d", rng.Uint64())
		return Edit{AddNode: row}
	case 1:
		return Edit{SetFeatures: row}
	case 2:
		if len(g.state.Neighbours(u)) == 0 {
			return Edit{RemoveNode: a}
		}
	}
	if g.state.Weight(u, v) > 0 {
		return Edit{RemoveEdge: &Pair{a, b}}
	}
	return Edit{AddEdge: &Pair{a, b}}
}

// nodes are those that an edit is about.
func (e Edit) nodes() []string {
	switch {
	case e.AddEdge != nil:
		return e.AddEdge[:]
	case e.RemoveEdge != nil:
		return e.RemoveEdge[:]
	case e.SetFeatures != nil:
		return []string{e.SetFeatures.ID}
	}
	return []string{e.RemoveNode}
}

// oracle is the energy of a graph in double precision: B H = wP with B = w + λ(D − A), rows being divided by √d for
// the symmetric norm.
type oracle struct {
	g         *graph
	cols      int
	lambda, w float64
	rate      func(q float64) float64
	scale     []float64
	diagonal  []float64
}

func newOracle(g *graph) *oracle {
	l, _, _ := g.task.Local()
	o := &oracle{g: g, cols: g.state.Cols(), lambda: l.Lambda, w: l.Weight, rate: l.Rate}
	for v := range int32(g.state.Nodes()) {
		d, s := float64(len(g.state.Neighbours(v))), 1.0
		if l.Norm != bgraph.None && d > 0 {
			s = 1 / math.Sqrt(d)
		}
		o.scale, o.diagonal = append(o.scale, s), append(o.diagonal, o.w+o.lambda*d*s*s)
	}
	return o
}

// times is y = Bx.
func (o *oracle) times(y, x []float64) {
	for v := range o.scale {
		out, own := y[v*o.cols:(v+1)*o.cols], x[v*o.cols:(v+1)*o.cols]
		for j := range out {
			out[j] = o.diagonal[v] * own[j]
		}
		for _, u := range o.g.state.Neighbours(int32(v)) {
			by := o.lambda * o.scale[v] * o.scale[u]
			for j, z := range x[int(u)*o.cols : (int(u)+1)*o.cols] {
				out[j] -= by * z
			}
		}
	}
}

// pi is P.
func (o *oracle) pi() []float64 {
	p := make([]float64, 0, len(o.scale)*o.cols)
	for v := range int32(len(o.scale)) {
		for _, x := range o.g.state.Pi(v) {
			p = append(p, float64(x))
		}
	}
	return p
}

// after is H after l steps from P: h ← h − r (Bh − wp), where r follows from the curvature of the edges of a row. It
// stops early once no number changes.
func (o *oracle) after(l int) []float64 {
	p := o.pi()
	x, y, moved := slices.Clone(p), make([]float64, len(p)), 1.0
	for ; l > 0 && moved > 1e-14; l-- {
		o.times(y, x)
		moved = 0
		for v := range o.scale {
			rate := o.rate(2 * (o.diagonal[v] - o.w))
			for i := v * o.cols; i < (v+1)*o.cols; i++ {
				step := rate * (y[i] - o.w*p[i])
				x[i] -= step
				moved = max(moved, math.Abs(step))
			}
		}
	}
	return x
}
