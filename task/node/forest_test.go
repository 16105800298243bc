package node

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// boost trains recipe on d with settings.
func boost(t *testing.T, recipe string, d *dataset.Dataset, dir string, set ...string) (*train.Result, config.Config) {
	t.Helper()
	c, err := config.Load(config.Options{Recipe: recipe, Data: d.Name, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), *c, d, Options{Options: train.Options{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	return r, *c
}

// TestTreesAreKept: a run of trees is read from its folder with the predictions that it ended with, bit for bit, of the
// best epoch and not of the last.
func TestTreesAreKept(t *testing.T) {
	d, _, err := generate.Make("csbm:nodes=600,features=8,seed=3")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() + "/run"
	r, c := boost(t, "trees", d, dir, "train.epochs=80", "train.rate=0.5", "train.metric=log_loss", "train.patience=20")
	if r.Test.Mean > 0.6 {
		t.Errorf("test %g", r.Test.Mean)
	}
	want, err := Of(r).Predict()
	if err != nil {
		t.Fatal(err)
	}
	j := r.Job.(job) // what was measured at the end is what is kept, though the last epoch is another one
	if last := j.last; r.Best[0] == r.Epochs || !slices.Equal(last.z, want.Logits.Slice()) {
		t.Errorf("of epoch %d of %d, what was measured (%v…) is not what the run predicts (%v…)", r.Best[0], r.Epochs,
			last.z[:2], want.Logits.Slice()[:2])
	}
	loaded, err := Load(dir, c, d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := loaded.Predict()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Logits.Slice(), want.Logits.Slice()) {
		t.Error("a run that is read predicts something else")
	}
	if rounds := loaded.forest.rounds; rounds == 0 || rounds != r.Best[0] {
		t.Errorf("%d rounds, the best epoch is %d", rounds, r.Best[0])
	}
}

// TestNoTree: weights that are no trees are refused, and not answered by trees that say nothing.
func TestNoTree(t *testing.T) {
	d, _, err := generate.Make("csbm:nodes=200,features=4,seed=3")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() + "/run"
	r, c := boost(t, "trees", d, dir, "train.epochs=5")
	task := Of(r)
	if !task.forest.whole() {
		t.Fatal("what was trained is no tree")
	}
	rows := task.forest.packed.Value().Slice()
	rows[2] = 0 // the left child of the root is the root
	task.forest.packed.Value().Write(rows)
	var text bytes.Buffer
	if err := task.Job().Write(&text, 1); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"model.safetensors": text.Bytes(), "SHA256SUMS": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(dir, c, d, Options{}); err == nil || !strings.Contains(err.Error(), "invalid tree") {
		t.Errorf("error %v", err)
	}
}

// TestTreesGoOn: training that is stopped and goes on ends with the bits of undisturbed training.
func TestTreesGoOn(t *testing.T) {
	d, _, err := generate.Make("csbm:nodes=400,features=5,seed=4")
	if err != nil {
		t.Fatal(err)
	}
	const set = "train.epochs=12"
	inPeace, c := boost(t, "trees", d, "", set)
	ctx, stop := context.WithCancel(context.Background())
	o := Options{Options: train.Options{Dir: t.TempDir() + "/run", Progress: func(e train.Event) {
		if e.Epoch == 5 {
			stop()
		}
	}}}
	if _, err := Run(ctx, c, d, o); err == nil {
		t.Fatal("was not stopped")
	}
	o.Progress, o.Resume = nil, true
	r, err := Run(context.Background(), c, d, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Test.Mean != inPeace.Test.Mean || r.Valid.Mean != inPeace.Valid.Mean || r.Best[0] != inPeace.Best[0] {
		t.Errorf("%+v, want %+v", r.Test, inPeace.Test)
	}
}

// TestTreesInAnEnergy: where neighbours agree and rows say little, the descent over what trees say is better than trees
// on rows alone; the derivatives of nodes without a label come through it.
func TestTreesInAnEnergy(t *testing.T) {
	d, _, err := generate.Make("csbm:nodes=1500,features=6,homophily=0.9,signal=0.5,seed=5")
	if err != nil {
		t.Fatal(err)
	}
	alone, _ := boost(t, "trees", d, "", "train.epochs=40", "model.neighbours=false", "model.closed=false")
	within, _ := boost(t, "base", d, "", "train.epochs=40", "train.rate=0.1", "model.input=trees", "model.after=0",
		"energy.f.lambda=5")
	if within.Test.Mean < alone.Test.Mean+0.05 {
		t.Errorf("test %g with an energy, %g without", within.Test.Mean, alone.Test.Mean)
	}
}

// TestResidualsOfNeighbours: numbers that are a sum of what own columns tell and of what neighbours share are told
// better by trees that hear what neighbours' labels have beyond their columns, which are read from the run again.
func TestResidualsOfNeighbours(t *testing.T) {
	d, _, err := generate.Make("csbm:nodes=1200,features=3,homophily=0.95,signal=0,degree=8,seed=6")
	if err != nil {
		t.Fatal(err)
	}
	values := make([]mat.Real, 1200)
	for v := range values {
		x := d.Features[0].Values[3*v:]
		values[v] = 10*x[0] - 5*x[1]*x[1] + 8*mat.Real(d.Labels.Class[v])
	}
	d.Labels = dataset.Labels{Task: dataset.Numbers, Names: []string{"y"}, Values: values, Class: make([]int32, 1200)}
	d.Metric = "rmse"
	dir := t.TempDir() + "/run"
	with, c := boost(t, "trees", d, dir, "train.epochs=150")
	without, _ := boost(t, "trees", d, "", "train.epochs=150", "model.neighbours=false")
	if with.Test.Mean > 0.8*without.Test.Mean {
		t.Errorf("rmse %g with neighbours, %g without", with.Test.Mean, without.Test.Mean)
	}
	loaded, err := Load(dir, c, d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := loaded.Predict()
	if err != nil {
		t.Fatal(err)
	}
	want, err := Of(with).Predict()
	if err != nil || !slices.Equal(got.Logits.Slice(), want.Logits.Slice()) {
		t.Error("a run that is read predicts something else", err)
	}
}

// TestNeighboursOfManyColumns: trees find a class that is told by one of many columns of neighbours.
func TestNeighboursOfManyColumns(t *testing.T) {
	const n, cols = 600, mostMeans + 44
	d, _, err := generate.Make(fmt.Sprintf("csbm:nodes=%d,features=%d,signal=0,seed=7", n, cols))
	if err != nil {
		t.Fatal(err)
	}
	sum := make([]mat.Real, n)
	eachEdge(d.Graph, func(v, u int32, _ float64) { sum[v] += d.Features[0].Values[u*cols+9] })
	for v, x := range sum {
		d.Labels.Class[v] = 0
		if x > 0 {
			d.Labels.Class[v] = 1
		}
	}
	r, _ := boost(t, "trees", d, "", "train.epochs=30", "model.closed=false")
	if r.Test.Mean < 0.8 {
		t.Errorf("test accuracy %g", r.Test.Mean)
	}
}

// TestTreesExplained: what is shown adds up to the difference of the logits of the likeliest class and the next.
func TestTreesExplained(t *testing.T) {
	d, _, err := generate.Make("csbm:nodes=400,features=5,classes=3,seed=8")
	if err != nil {
		t.Fatal(err)
	}
	r, _ := boost(t, "trees", d, "", "train.epochs=20")
	task := Of(r)
	p, err := task.Predict()
	if err != nil {
		t.Fatal(err)
	}
	for v := range int32(50) {
		first, second := topTwo(p.Logits.Slice()[3*v : 3*v+3])
		q := p.Probability.Slice()[3*v : 3*v+3]
		want := math.Log(float64(q[first])) - math.Log(float64(q[second]))
		e, err := task.breakdown(v, task.question(first, second), p, 3)
		if err != nil || len(e.Groups) == 0 {
			t.Fatalf("node %d: %+v, %v", v, e, err)
		}
		if sum := e.total(); math.Abs(e.Sum-want) > 1e-3 || math.Abs(sum-want) > 1e-3 || len(e.Groups[0].Parts) > 3 {
			t.Fatalf("node %d: %+v adds up to %g, want %g", v, e, sum, want)
		}
	}
}

// TestClosedColumn: trees see the answers of the closed form, training nodes those without their own fold; a new node
// gets its answer too.
func TestClosedColumn(t *testing.T) {
	d, _, err := generate.Make("csbm:nodes=300,features=4,classes=3,seed=9")
	if err != nil {
		t.Fatal(err)
	}
	r, _ := boost(t, "trees", d, "", "train.epochs=3")
	task := Of(r)
	p := fit.ProblemOf(task.Data, task.Split.Train, task.Trial.Seed)
	p.Folds = solvedFolds
	fit, err := fit.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(fit.Answers)
	for i, v := range fit.Rows {
		copy(want[3*v:], fit.OutOfFold[3*i:3*i+3])
		if fit.OutOfFold[3*i] == fit.Answers[3*v] || fit.OutOfFold[3*i] == fit.LeftOut[3*i] {
			t.Fatalf("training node %d: its fold is not left out", v)
		}
	}
	b := task.forest.table
	row := make([]float32, b.columns)
	for v := range 300 {
		b.row(row, v)
		for c, x := range row[b.own()+b.nearby:][:3] {
			if x != float32(want[3*v+c]) {
				t.Fatalf("node %d column %d: %g, want %g", v, c, x, want[3*v+c])
			}
		}
	}
	with, err := task.Add(&dataset.Newcomers{IDs: []string{"new"}, Features: []dataset.Matrix{{Rows: 1, Cols: 4,
		Values: []mat.Real{1, 0, 0, 1}}}, Edges: []graph.Triple{{U: 300, V: 5}}})
	if err != nil {
		t.Fatal(err)
	}
	if e := with.forest.breakdown(300, with.question(0, 1), 0); math.IsNaN(e.Sum) {
		t.Errorf("a new node is explained by %+v", e)
	}
}
