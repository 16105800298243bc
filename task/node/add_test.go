package node

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/train"
)

// without takes the last k nodes of d away.
func without(t *testing.T, d *dataset.Dataset, k int) (*dataset.Dataset, *dataset.Newcomers) {
	t.Helper()
	var last []int32
	for v := d.Graph.NumNodes() - k; v < d.Graph.NumNodes(); v++ {
		last = append(last, int32(v))
	}
	less, late, err := testkit.HoldOut(d, last)
	if err != nil {
		t.Fatal(err)
	}
	return less, late
}

// TestAdd: nodes that are added after training are classified as by a model that knew them from the start.
func TestAdd(t *testing.T) {
	d := clusters(200)
	less, late := without(t, d, 20)
	for _, scale := range []string{"none", "columns"} {
		c := settings(t, "robust")
		c.Data.Scale = scale
		short, err := Run(context.Background(), c, less, Options{})
		if err != nil {
			t.Fatal(err)
		}
		added, err := Of(short).Add(late)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Run(context.Background(), c, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, p := predicted(t, added), predicted(t, Of(whole))
		same := 0
		for i := range 20 {
			if row(got.Logits, 180+i) == row(p.Logits, 180+i) {
				same++
			}
		}
		if same < 17 {
			t.Errorf("scale %s: %d of 20 nodes get the class they have in the whole graph", scale, same)
		}
	}
}

// TestAddIsPredict: of every recipe that nodes can be added to, all nodes get, bit for bit, what the run says that is
// saved with the new ones, even where these would ask for another scaling.
func TestAddIsPredict(t *testing.T) {
	less, late := without(t, clusters(60), 5)
	names := []string{"trees", "closed"}
	for _, r := range recipe.All() {
		if !r.FromLabels() && !config.FamilyOf(r.Name).IsFacts() {
			names = append(names, r.Name)
		}
	}
	for _, name := range names {
		c := settings(t, name)
		if c.Data.Scale = "columns"; name != "closed" {
			c.Train.Epochs = 2
		}
		asSaved(t, name, c, less, late)
	}
	c := settings(t, "base")
	c.Data.Scale, c.Train.Epochs = "auto", 2
	sparse, newest := *less, *late
	sparse.Features = []dataset.Matrix{sparsely(less.Features[0], math.Abs)}
	newest.Features = []dataset.Matrix{sparsely(late.Features[0], func(x float64) float64 { return -math.Abs(x) })}
	asSaved(t, "base, new rows negative,", c, &sparse, &newest)
}

// sparsely is x as a sparse matrix, its entries through f.
func sparsely(x dataset.Matrix, f func(float64) float64) dataset.Matrix {
	out := dataset.Matrix{Cols: x.Cols, Ptr: []int64{0}, Values: []mat.Real{}}
	row := make([]mat.Real, x.Cols)
	for i := range x.Rows {
		x.Row(row, i)
		for j := range row {
			row[j] = mat.Real(f(float64(row[j])))
		}
		out.AppendRow(row)
	}
	return out
}

// asSaved compares what is said with newcomers with the run that is saved with them.
func asSaved(t *testing.T, name string, c config.Config, less *dataset.Dataset, late *dataset.Newcomers) {
	t.Helper()
	before := &Trained{Task: Of(trained(t, c, less, Options{})), Dir: t.TempDir()}
	with, err := before.Add(late)
	if err != nil {
		t.Fatal(name, err)
	}
	dir := t.TempDir() + "/saved"
	if err := before.Save(dir, late); err != nil {
		t.Fatal(name, err)
	}
	after, err := Open(dir)
	if err != nil {
		t.Fatal(name, err)
	}
	got, want := predicted(t, with), predicted(t, after.Task)
	if !slices.Equal(got.Logits.Slice(), want.Logits.Slice()) || !slices.Equal(got.Residual, want.Residual) {
		t.Errorf("%s: added nodes get other answers than the run that is saved with them", name)
	}
	old := predicted(t, before.Task).Logits.Slice()
	if slices.Equal(got.Logits.Slice()[:len(old)], old) {
		t.Errorf("%s: no old node has reacted", name)
	}
}

// predicted is what the task says.
func predicted(t *testing.T, task *Task) *Predictions {
	t.Helper()
	p, err := task.Predict()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSaveScaled: a run that is saved with new nodes scales columns as it did before them, whatever they hold.
func TestSaveScaled(t *testing.T) {
	less, late := without(t, clusters(60), 5)
	x := &late.Features[0]
	x.Values = slices.Clone(x.Values)
	for i := range x.Values {
		x.Values[i] *= 1000
	}
	c := settings(t, "base")
	c.Data.Scale, c.Train.Epochs = "columns", 2
	r, err := Run(context.Background(), c, less, Options{})
	if err != nil {
		t.Fatal(err)
	}
	before, dir := &Trained{Task: Of(r), Dir: t.TempDir()}, t.TempDir()+"/saved"
	if err := before.Save(dir, late); err != nil {
		t.Fatal(err)
	}
	after, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	old, now := before.Data.Features[0], after.Data.Features[0]
	if now.Rows != 60 || !slices.Equal(now.Values[:len(old.Values)], old.Values) {
		t.Errorf("%d rows, and those of old nodes are scaled anew", now.Rows)
	}
}

// row is the largest entry of row i.
func row(z *mat.Dense, i int) int32 {
	c := z.Cols()
	return metric.Argmax(z.Slice()[i*c : (i+1)*c])
}

// TestAddRefuses: what a model cannot say anything about is refused.
func TestAddRefuses(t *testing.T) {
	less, late := without(t, clusters(200), 20)
	for _, name := range []string{"gcn", "lp"} {
		c := settings(t, name)
		r, err := Run(context.Background(), c, less, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Of(r).Add(late); err == nil {
			t.Errorf("nodes were added to %s", name)
		}
	}
	task, err := Build(settings(t, "base"), less, train.Trial{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	wide := *late
	wide.Features = []dataset.Matrix{{Rows: 20, Cols: 7, Values: make([]mat.Real, 140)}}
	if _, err := task.Add(&wide); err == nil {
		t.Error("7 features were taken for 6")
	}
	far := *late
	far.Edges = append(slices.Clone(late.Edges), graph.Triple{U: 500})
	if _, err := task.Add(&far); err == nil {
		t.Error("an edge to node 500 was taken")
	}
}

// TestAddCora: of Cora, a twentieth of the nodes that no label of which is used comes after training, and nearly all
// of them get the class that a model which knew them gives them.
func TestAddCora(t *testing.T) {
	d := planetoid(t, "cora")
	if testing.Short() {
		t.Skip("trains twice")
	}
	var rest []int32
	for v := int32(140); v < 2708; v++ {
		rest = append(rest, v)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	late := rest[:2708/20]
	less, new, err := testkit.HoldOut(d, late)
	if err != nil {
		t.Fatal(err)
	}
	c := twirls(t, 300)
	short := trained(t, c, less, Options{})
	begin := time.Now()
	added, err := Of(short).Add(new)
	if err != nil {
		t.Fatal(err)
	}
	got := predicted(t, added)
	took := time.Since(begin).Seconds()
	p := predicted(t, Of(trained(t, c, d, Options{})))
	same := 0
	for i, v := range late {
		if row(got.Logits, less.Graph.NumNodes()+i) == row(p.Logits, int(v)) {
			same++
		}
	}
	share := float64(same) / float64(len(late))
	t.Logf("%d of %d nodes agree; adding took %.4f s, training %.2f s", same, len(late), took, short.Seconds)
	if share < 0.9 {
		t.Errorf("%.1f %% of the added nodes agree with a model that knew them", 100*share)
	}
}

// TestAddTyped: a paper and an author come later, and all nodes get, bit for bit, what the run says that is saved with
// them. Of a type without features nothing can be said about new nodes, but those of another type can join.
func TestAddTyped(t *testing.T) {
	paper := dataset.Matrix{Rows: 1, Cols: 3, Values: []mat.Real{5, 0.5, -2}}
	author := dataset.Matrix{Rows: 1, Cols: 2, Values: []mat.Real{3, 1}}
	known := library()
	known.Features[1] = dataset.Matrix{Rows: 8, Cols: 2, Values: make([]mat.Real, 16)}
	for i := range known.Features[1].Values {
		known.Features[1].Values[i] = mat.Real(i % 5)
	}
	both := &dataset.Newcomers{IDs: []string{"p", "a"}, Things: 1, Types: []int32{0, 1},
		Features: []dataset.Matrix{paper, author},
		Edges:    []graph.Triple{{U: 49, R: 0, V: 48}, {U: 49, R: 0, V: 3}, {U: 40, R: 0, V: 48}}}
	alone := &dataset.Newcomers{IDs: []string{"p"}, Features: []dataset.Matrix{paper, {}},
		Edges: []graph.Triple{{U: 41, R: 0, V: 48}}}
	for _, name := range []string{"trees", "closed", "halo", "base"} {
		c := settings(t, name)
		if c.Data.Scale = "columns"; name != "closed" {
			c.Train.Epochs = 2
		}
		asSaved(t, name, c, known, both)
		if name != "closed" { // whose answers there use no edges
			asSaved(t, name+" without features of authors", c, library(), alone)
		}
	}
	c := settings(t, "halo")
	c.Train.Epochs = 1
	if _, err := Of(trained(t, c, library(), Options{})).Add(both); err == nil {
		t.Error("an author came of whom nothing is known")
	}
}
