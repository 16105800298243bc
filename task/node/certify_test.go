package node

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// TestCertify: certified answers of runs stay the same when the network itself predicts on graphs with random edges
// removed or added within the budget. Without a budget nearly all answers are certified, as the run gives them.
func TestCertify(t *testing.T) {
	for name, set := range map[string][]string{
		"margins":      {"model.after=0"},
		"ReLU":         nil,
		"layers":       {"model.after=2"},
		"symmetric":    {"model.after=0", "energy.f={norm: symmetric}"},
		"robust":       {"energy.kappa={anchor: huber}"},
		"non-negative": {"energy.eta=nonnegative"},
		"threshold":    {"train.metric=macro_f1", "model.after=0"},
		"weights":      {"model.after=0", "energy.kappa={anchor: huber}"},
	} {
		t.Run(name, func(t *testing.T) { checkCertified(t, name == "weights", set) })
	}
}

func checkCertified(t *testing.T, weighted bool, set []string) {
	set = append(set, "train.epochs=30", "model.hidden=8", "energy.f={lambda: 0.2}", "energy.steps=6")
	c, err1 := config.Load(config.Options{Recipe: "base", Data: "-", Set: set})
	d, _, err2 := generate.Make("csbm:nodes=150,classes=2,degree=6,features=6,homophily=0.9,seed=3")
	if err := cmp.Or(err1, err2); err != nil {
		t.Fatal(err)
	}
	edges := "two-hop"
	if weighted {
		edges = "existing"
		w := make([]mat.Real, d.Graph.NumEdges())
		for e := range w {
			w[e] = 0.3 + mat.Real(e%7)/3
		}
		d.Graph, err1 = d.Graph.WithEdges(w, graph.Features{})
	}
	if err1 != nil {
		t.Fatal(err1)
	}
	dir := filepath.Join(t.TempDir(), "run")
	trained(t, *c, d, Options{Options: train.Options{Dir: dir}})
	open := func(d *dataset.Dataset, budget int) (*certifier, []int) {
		run, err := Load(dir, *c, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := newCertifier(run, task.Changes{Each: budget, Edges: edges})
		if err != nil {
			t.Fatal(err)
		}
		var holds []int
		for v, y := range x.Certify(x.model, x.class) {
			if y.Holds {
				holds = append(holds, v)
			}
		}
		return x, holds
	}
	x, all := open(d, 0)
	_, certified := open(d, 1)
	if len(all) < 145 || len(certified) < 50 || len(certified) > 145 {
		t.Errorf("%d of 150 answers are certified, without changes %d", len(certified), len(all))
	}
	checkRadii(t, x, d, all[:20], func(d *dataset.Dataset) *certifier {
		now, _ := open(d, 0)
		return now
	})
	for seed := range uint64(10) {
		changed := *d
		if changed.Graph = rewired(t, x.Near, rand.New(rand.NewPCG(seed, 1))); weighted {
			changed.Graph = thinned(t, d.Graph, rand.New(rand.NewPCG(seed, 1)))
		}
		now, _ := open(&changed, 0)
		for _, v := range certified {
			if now.class[v] != x.class[v] {
				t.Errorf("seed %d: node %d is certified and changed", seed, v)
			}
		}
	}
}

// checkRadii moves rows of features at random within the radii of nodes: no class changes.
func checkRadii(t *testing.T, x *certifier, d *dataset.Dataset, nodes []int, open func(*dataset.Dataset) *certifier) {
	r, list := rand.New(rand.NewPCG(1, 5)), make([]int32, len(nodes))
	for i, v := range nodes {
		list[i] = int32(v)
	}
	for i, radius := range x.Radii(x.model, x.class, list) {
		v := list[i]
		for _, rows := range [][]int32{{v}, x.Near[v]} {
			size := radius.Own
			if rows[0] != v {
				size = radius.Near
			}
			if now := open(moved(r, d, rows, 0.999*size)); now.class[v] != x.class[v] {
				t.Fatalf("node %d changes its class within its radii %v", v, radius)
			}
		}
	}
}

// moved returns d with rows that move in a random direction by size, all together.
func moved(r *rand.Rand, d *dataset.Dataset, rows []int32, size float64) *dataset.Dataset {
	out := *d
	x := d.Features[0]
	x.Values = slices.Clone(x.Values)
	move, square := make([]float64, len(rows)*x.Cols), 0.0
	for i := range move {
		move[i] = r.NormFloat64()
		square += move[i] * move[i]
	}
	for i, y := range move {
		x.Values[int(rows[i/x.Cols])*x.Cols+i%x.Cols] += mat.Real(y * size / math.Sqrt(square))
	}
	out.Features = []dataset.Matrix{x}
	return &out
}

// TestSpectral: the norm is at least the largest stretch of random vectors that were multiplied often, and hardly more.
func TestSpectral(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 6))
	w := make([][]float64, 9)
	for i := range w {
		for range 5 {
			w[i] = append(w[i], r.NormFloat64())
		}
	}
	x, size := []float64{1, 1, 1, 1, 1}, 0.0
	for range 500 {
		y, z, square := make([]float64, 9), make([]float64, 5), 0.0
		for i, row := range w {
			for j, a := range row {
				y[i] += a * x[j]
			}
		}
		for i, row := range w {
			for j, a := range row {
				z[j] += a * y[i]
			}
		}
		for _, a := range z {
			square += a * a
		}
		size = math.Pow(square, 0.25) // ‖wᵀ w x‖^½ of a unit x
		for j := range z {
			x[j] = z[j] / math.Sqrt(square)
		}
	}
	if got := spectral(w); got < size-1e-9 || got > 1.01*size {
		t.Errorf("the norm is %v, want %v", got, size)
	}
}

// TestSteep: the way from a row of features to a margin is as steep as π is, where it is the model.
func TestSteep(t *testing.T) {
	a := asked{&Trained{Task: trainedShares(t, "base", "model.before=1", "model.after=0")}, nil}
	x, err := newCertifier(a.Trained, task.Changes{Each: 1, Edges: "existing"})
	if err != nil {
		t.Fatal(err)
	}
	layers, _, _ := a.Trained.alone().Pi.(perceptron).Rectified()
	want := 0.0
	for _, row := range rows(ad.Eval(layers[0].W.Var)) {
		want += (row[0] - row[1]) * (row[0] - row[1])
	}
	if got := x.model.Steep(0, 1); math.Abs(got-math.Sqrt(want)) > 1e-6*got {
		t.Errorf("steep %v, want %v", got, math.Sqrt(want))
	}
}

// TestCertificateKept: the certificate of all nodes stays in the folder, says the same there, and does not
// count for other weights.
func TestCertificateKept(t *testing.T) {
	run := openMade(t, "csbm:nodes=150,classes=2,degree=6,features=6,homophily=0.9,seed=3", "base", "train.epochs=20")
	if kept, err := run.Certified(); kept != nil || err != nil || kept.About("n1") != nil {
		t.Errorf("before: %v, %v", kept, err)
	}
	q := &task.Request{Context: t.Context(), Say: io.Discard, Out: &bytes.Buffer{}, JSON: true,
		Changes: task.Changes{Each: 2, Edges: "existing", Features: true}}
	if err := (asked{run, nil}).Certify(q); err != nil {
		t.Fatal(err)
	}
	var said certificate
	if err := json.Unmarshal(q.Out.(*bytes.Buffer).Bytes(), &said); err != nil {
		t.Fatal(err)
	}
	kept, err := run.Certified()
	if err != nil || kept.Share != said.Certified || kept.Under != "whichever edges are removed, at most 2 at a node" {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	for _, n := range said.Nodes {
		if h := kept.About(n.ID); h == nil || h.Certified != n.Certified || *h.Radius != *n.Radius ||
			strings.HasPrefix(h.Text, "This answer holds") != (n.Largest > 0) ||
			strings.Contains(h.Text, "at most 1 at a node") != (n.Largest == 1) {
			t.Fatalf("node %s: %+v, said %+v", n.ID, h, n)
		}
	}
	checkBudgets(t, run, &said)
	write := func(text []byte) {
		t.Helper()
		if err := files.Write(filepath.Join(run.Dir, CertificateFile), files.WriteOptions{}, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	said.Model = "other"
	text, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	write(text)
	if kept, err := run.Certified(); kept != nil || err != nil {
		t.Errorf("of other weights: %v, %v", kept, err)
	}
	write([]byte("{"))
	if _, err := run.Certified(); err == nil || !strings.Contains(err.Error(), CertificateFile) {
		t.Errorf("a damaged certificate: %v", err)
	}
}

// openMade trains a recipe on generated data, and opens the run.
func openMade(t *testing.T, ref, recipe string, set ...string) *Trained {
	t.Helper()
	d, _, err := generate.Make(ref)
	if err != nil {
		t.Fatal(err)
	}
	return openOn(t, d, recipe, set...)
}

// openOn trains a recipe, and opens the run.
func openOn(t *testing.T, d *dataset.Dataset, recipe string, set ...string) *Trained {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: recipe, Data: "-", Set: set})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	trained(t, *c, d, Options{Options: train.Options{Dir: dir}})
	run, err := Load(dir, *c, d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// checkBudgets: certificates with one budget each give the same shares and the same largest budget of every node.
func checkBudgets(t *testing.T, run *Trained, said *certificate) {
	t.Helper()
	if len(said.Shares) != 2 || said.Shares[1] != (share{2, said.Certified}) ||
		said.Shares[0].Certified == said.Certified {
		t.Fatalf("shares %v of a certificate of %v", said.Shares, said.Certified)
	}
	for _, s := range said.Shares {
		x, err := newCertifier(run, task.Changes{Each: s.Budget, Edges: "existing"})
		if err != nil {
			t.Fatal(err)
		}
		holds := 0
		for v, y := range x.Certify(x.model, x.class) {
			if y.Holds {
				holds++
			}
			if y.Holds != (said.Nodes[v].Largest >= s.Budget) {
				t.Fatalf("node %d holds under %d: %v, at most under %d", v, s.Budget, y.Holds, said.Nodes[v].Largest)
			}
		}
		if float64(holds)/float64(len(said.Nodes)) != s.Certified {
			t.Errorf("%d of %d hold under %d, and %v is said", holds, len(said.Nodes), s.Budget, s.Certified)
		}
	}
}

// thinned returns a graph in which at most one edge of every node was removed.
func thinned(t *testing.T, g *graph.Graph, r *rand.Rand) *graph.Graph {
	t.Helper()
	s, used := graph.Spec{Nodes: g.NumNodes(), Undirected: true}, map[int32]bool{}
	gone := map[int]bool{}
	for _, e := range r.Perm(g.NumEdges()) {
		if x := g.Edge(int32(e)); !used[x.U] && !used[x.V] {
			used[x.U], used[x.V], gone[e] = true, true, true
		}
	}
	for e, x := range g.Triples() {
		if !gone[e] {
			s.Triples, s.Weights = append(s.Triples, x), append(s.Weights, g.Weights()[e])
		}
	}
	out, err := graph.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// rewired returns a graph in which at most one edge of every node was removed, or added to a neighbour of a neighbour.
func rewired(t *testing.T, near [][]int32, r *rand.Rand) *graph.Graph {
	t.Helper()
	joined, used := map[[2]int32]bool{}, map[int32]bool{}
	for u, list := range near {
		for _, v := range list {
			if int32(u) < v {
				joined[[2]int32{int32(u), v}] = true
			}
		}
	}
	for range 3 * len(near) {
		u := int32(r.IntN(len(near)))
		v := u
		for range 1 + r.IntN(2) {
			if len(near[v]) > 0 {
				v = near[v][r.IntN(len(near[v]))]
			}
		}
		if e := [2]int32{min(u, v), max(u, v)}; u != v && !used[u] && !used[v] {
			used[u], used[v], joined[e] = true, true, !joined[e]
		}
	}
	s := graph.Spec{Nodes: len(near), Undirected: true}
	for u := range int32(len(near)) {
		for v := range int32(len(near)) {
			if joined[[2]int32{u, v}] {
				s.Sources, s.Targets = append(s.Sources, u), append(s.Targets, v)
			}
		}
	}
	g, err := graph.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
