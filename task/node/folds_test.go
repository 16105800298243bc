package node

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// made is a generated graph.
func made(t *testing.T, ref string) *dataset.Dataset {
	t.Helper()
	d, _, err := generate.Make(ref)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestPartition: every labelled node is in one fold or held out, every class is in all folds as often as in another or
// once more, and fold i validates what the other folds do not teach.
func TestPartition(t *testing.T) {
	d := made(t, "csbm:nodes=203,classes=3,seed=4")
	for v := range d.Labels.Class {
		if v%4 == 0 {
			d.Labels.Class[v] = -1
		}
	}
	f, err := newPartition(d, config.Data{Folds: 5, Holdout: 0.2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[[2]int]int{}
	for v, fold := range f.of {
		held := slices.Contains(f.held, int32(v))
		if y := d.Labels.Class[v]; (y >= 0) != (fold >= 0 || held) || fold >= 0 && held {
			t.Fatalf("node %d of class %d is in fold %d, held %v", v, y, fold, held)
		}
		if fold >= 0 {
			counts[[2]int{int(d.Labels.Class[v]), int(fold)}]++
		}
	}
	for y := range 3 {
		least, most := math.MaxInt, 0
		for fold := range 5 {
			n := counts[[2]int{y, fold}]
			least, most = min(least, n), max(most, n)
		}
		if most > least+1 {
			t.Errorf("class %d is %d to %d times in a fold", y, least, most)
		}
	}
	for i := range 5 {
		s := f.split(i)
		if len(s.Train)+len(s.Valid)+len(f.held) != 152 || len(s.Valid) < 23 {
			t.Errorf("fold %d: %d teach, %d validate, %d are held", i, len(s.Train), len(s.Valid), len(s.Test))
		}
	}
}

// TestWindows: folds of data divided by time are windows, the latest first, that are answered for from what is earlier
// by the gap between the parts of the data; test nodes are in none, and nothing is left out of what the model learns
// from in the end. Data of one time, or with parts that overlap, has no windows.
func TestWindows(t *testing.T) {
	d := made(t, "csbm:nodes=400,classes=2,seed=4")
	d.Times, d.DrawnSplit, d.DrawnValid = make([]int64, 400), false, false
	var s dataset.Split
	for v := range int32(400) {
		d.Times[v] = 10 * int64(v/4)
		switch {
		case v < 240:
			s.Train = append(s.Train, v)
		case v >= 248 && v < 300: // 12 nodes of three times in between
			s.Valid = append(s.Valid, v)
		case v >= 312:
			s.Test = append(s.Test, v)
		}
	}
	d.Splits = []dataset.Split{s}
	f, err := newPartition(d, config.Data{Folds: 5}, 1)
	if err != nil || f.k != 5 {
		t.Fatalf("%d windows, %v", f.k, err)
	}
	next := d.Times[300]
	for i := range f.k {
		w := f.split(i)
		train, valid := period(d, w.Train), period(d, w.Valid)
		if valid.last >= next || train.last > valid.first-30 || len(w.Train) == 0 || len(w.Valid) < 28 ||
			len(w.Valid) > 34 || !slices.Equal(w.Test, s.Test) {
			t.Errorf("window %d: trains on %d nodes up to %d, validates on %d from %d to %d, before %d", i,
				len(w.Train), train.last, len(w.Valid), valid.first, valid.last, next)
		}
		next = valid.first
	}
	if all := f.split(-1); len(all.Train) != len(s.Train)+len(s.Valid) {
		t.Errorf("%d nodes train in the end, want %d", len(all.Train), len(s.Train)+len(s.Valid))
	}
	d.Splits[0].Valid = append(d.Splits[0].Valid, s.Train[7])
	if windows(d, 5) != nil {
		t.Error("parts overlap in time, and there are windows")
	}
}

// TestFoldsHideLabels: an answer to a fold does not know its labels: with these turned around, all answers after every
// epoch are the same bits, also of trees, which see the labels of neighbours, and of label propagation. Answers to
// another fold do change.
func TestFoldsHideLabels(t *testing.T) {
	for _, recipe := range []string{"trees", "base", "lp-trained", "closed"} {
		d := made(t, "csbm:nodes=150,classes=2,homophily=0.9,signal=1,seed=6")
		set := []string{"data.folds=3"}
		if recipe != "closed" {
			set = append(set, "train.epochs=15", "train.patience=0")
		}
		c, err := config.Load(config.Options{Recipe: recipe, Data: "-", Set: set})
		if err != nil {
			t.Fatal(err)
		}
		x, err := newTrials(*c, d)
		if err != nil {
			t.Fatal(err)
		}
		turned := *d
		turned.Labels.Class = slices.Clone(d.Labels.Class)
		for v, fold := range x.folds.of {
			if fold == 0 {
				turned.Labels.Class[v] = 1 - turned.Labels.Class[v]
			}
		}
		y := *x
		y.data = &turned
		for fold, want := range []bool{true, false} {
			a, err := x.train(context.Background(), *c, fold)
			if err != nil {
				t.Fatal(recipe, err)
			}
			b, err := y.train(context.Background(), *c, fold)
			if err != nil {
				t.Fatal(recipe, err)
			}
			if same := slices.EqualFunc(a.answers, b.answers, slices.Equal[[]mat.Real]); same != want {
				t.Errorf("%s: with the labels of fold 0 turned around, answers to fold %d are the same: %v", recipe,
					fold, same)
			}
		}
	}
}

// TestFoldsFile: what was written is read, and what was changed is refused.
func TestFoldsFile(t *testing.T) {
	d := made(t, "karate")
	o := &outOfFold{nodes: []int32{1, 4}, fold: []int8{0, 1}, answers: []mat.Real{0.5, -1.25, 3, 1e-7}}
	var b bytes.Buffer
	if err := o.write(&b, d); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, foldsName)
	for _, x := range []struct{ from, to, want string }{
		{"", "", ""}, {"0.5", "NaN", "finite"}, {"0.5", "x", "finite"}, {"\n4,", "\n5,", "not a labelled node"},
		{"\n4,", "\n99,", "not a labelled node"},
		{"-1.25", "-1.25,1", "fields"}, {b.String(), "node,id\n", "2 columns"},
	} {
		text := strings.Replace(b.String(), x.from, x.to, 1)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readFolds(dir, d)
		switch {
		case x.want == "" && (err != nil || !slices.Equal(got.answers, o.answers) || !slices.Equal(got.nodes, o.nodes)):
			t.Errorf("%+v, %v", got, err)
		case x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)):
			t.Errorf("%q for %q: %v", x.to, x.from, err)
		}
	}
}

// TestCommonEpoch: the epoch is the one with the best mean over folds, not the best of each: what each fold likes best
// would flatter.
func TestCommonEpoch(t *testing.T) {
	e := &entrant{curves: []*curve{{scores: []float64{0.1, 0.9, 0.6, 0.2}}, {scores: []float64{0.1, 0.2, 0.6, 0.9, 1}}}}
	m, _ := metric.ByName("accuracy")
	if at := e.best(m); at != 2 || e.mean(at) != 0.6 {
		t.Errorf("evaluation %d with %g", at, e.mean(at))
	}
	e.config.Train.Schedule = "cosine"
	if at := e.best(m); at != 3 {
		t.Errorf("with a rate that falls, evaluation %d of the 4 that both have", at)
	}
}

// TestTimeIsUp: a config whose time is up is judged by what it has come to on a split of the data after enough
// evaluations, and is trained again up to its best epoch.
func TestTimeIsUp(t *testing.T) {
	d := made(t, "csbm:nodes=150,classes=2,homophily=0.8,signal=1,seed=3")
	c, err := config.Load(config.Options{Recipe: "base", Data: "-", Set: []string{"train.epochs=1000000",
		"train.patience=0"}})
	if err != nil {
		t.Fatal(err)
	}
	x, err := newTrials(*c, d)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
	defer stop()
	y, err := x.train(ctx, *c, 0)
	if err != nil || len(y.epochs) < leastEvaluations || len(y.answers) != len(y.epochs) {
		t.Fatalf("%+v, %v", y, err)
	}
	m, _ := metric.ByName("accuracy")
	e := &entrant{config: *c, curves: []*curve{y}, seconds: 8}
	if got := e.settled(m, false).Train.Epochs; got != y.epochs[e.best(m)] || e.again(m) > 8 {
		t.Errorf("trained for %d epochs in %g s", got, e.again(m))
	}
	late := context.DeadlineExceeded
	if x.suffices(*c, &curve{epochs: make([]int, leastEvaluations-1)}, late) || x.suffices(*c, y, context.Canceled) ||
		(&trials{folds: &partition{k: 3}}).suffices(*c, y, late) {
		t.Error("too little is enough")
	}
}

// TestStandardErrorRule: the simpler one is taken where it is not worse by more than a standard error of the
// differences, fold by fold.
func TestStandardErrorRule(t *testing.T) {
	one := func(name string, scores ...float64) *entrant {
		e := &entrant{name: name}
		for _, x := range scores {
			e.curves = append(e.curves, &curve{scores: []float64{x}})
		}
		return e
	}
	m, _ := metric.ByName("accuracy")
	for _, x := range []struct {
		simple, best *entrant
		want         string
	}{
		{one("closed", 0.70, 0.80, 0.75), one("base", 0.72, 0.79, 0.76), "closed"}, // now better, now worse
		{one("closed", 0.70, 0.80, 0.75), one("base", 0.71, 0.81, 0.76), "base"},   // always better, by little
		{one("closed", 0.70, 0.80, 0.75), one("base", 0.60, 0.70, 0.65), "closed"},
	} {
		r := &race{trials: &trials{folds: &partition{k: 3}}, metric: m, name: "accuracy",
			entrants: []*entrant{x.best, x.simple}}
		if got := r.choose(); got.name != x.want {
			t.Errorf("%v, %v: %s", x.simple.scores(0), x.best.scores(0), got.name)
		}
	}
}

// TestFoundRare: precision among the most probable nodes, with ties as if drawn.
func TestFoundRare(t *testing.T) {
	d := made(t, "csbm:nodes=2000,classes=2,seed=1")
	for v := range d.Labels.Class {
		d.Labels.Class[v] = 0
		if v%40 == 0 { // 50 of 2,000
			d.Labels.Class[v] = 1
		}
	}
	c, err := config.Load(config.Options{Recipe: "closed", Data: "-"})
	if err != nil {
		t.Fatal(err)
	}
	task, err := Build(*c, d, Trials(*c, d)[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	nodes, z := make([]int32, 2000), make([]mat.Real, 4000)
	for v := range nodes {
		nodes[v] = int32(v)
		if v < 400 { // 10 of these are, all alike
			z[2*v+1] = 1
		}
	}
	r := task.foundRare(z, nodes)
	if r == nil || r.First != 100 || math.Abs(r.Precision-0.025) > 1e-12 || math.Abs(r.Lift-1) > 1e-12 {
		t.Errorf("ties: %+v", r)
	}
	for v := range nodes {
		z[2*v+1] = mat.Real(d.Labels.Class[v])
	}
	if r = task.foundRare(z, nodes); math.Abs(r.Precision-(50+50*0)/100.0) > 1e-12 || math.Abs(r.Lift-20) > 1e-9 {
		t.Errorf("all found: %+v", r)
	}
}

// TestCostThreshold: a miss that costs more than an alarm lowers the threshold to where the sum of costs is least, for
// either order of the classes.
func TestCostThreshold(t *testing.T) {
	d := made(t, "csbm:nodes=100,classes=2,seed=1")
	z := make([]mat.Real, 200)
	nodes := make([]int32, 100)
	for v := range nodes { // the more, the more probable; of the last ten every other one is of class 1
		nodes[v], z[2*v+1] = int32(v), mat.Real(v)/10-5
		d.Labels.Class[v] = 0
		if v >= 90 && v%2 == 0 {
			d.Labels.Class[v] = 1
		}
	}
	s := dataset.Split{Train: nodes, Valid: nodes}
	for _, x := range []struct {
		cost string
		want int // nodes above the threshold
	}{{"miss=50,alarm=1", 10}, {"miss=1,alarm=50", 0}} {
		g, err := newClasses(d, s, config.Train{Cost: x.cost})
		if err != nil {
			t.Fatal(err)
		}
		g.calibrate(z, s, "average_precision")
		above := 0
		for v := range nodes {
			above += int(g.answer(z[2*v : 2*v+2]))
		}
		if g.found.By != "cost" || x.want == 10 && above != x.want || x.want == 0 && above > 2 {
			t.Errorf("%s: %d nodes above %+v", x.cost, above, g.found)
		}
	}
	for _, bad := range []string{"miss", "miss=-1", "mis=1", "miss=x"} {
		if _, err := newClasses(d, s, config.Train{Cost: bad}); err == nil ||
			!strings.Contains(err.Error(), "miss=50") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestLogTarget: numbers that are learnt as logarithms come back in their unit, also where some are not above 0, and
// the factor makes their squared error least.
func TestLogTarget(t *testing.T) {
	for _, less := range []float64{0, 3} {
		d := made(t, "smooth:nodes=60,seed=2")
		s := d.Splits[0]
		for v := range d.Labels.Values {
			d.Labels.Values[v] = mat.Real(math.Exp(float64(d.Labels.Values[v])) - less)
		}
		g := newNumbers(d, s, config.Train{Target: "log"})
		if (g.floor < 0) != (less > 0) {
			t.Errorf("floor %g of labels less %g", g.floor, less)
		}
		z := make([]mat.Real, len(d.Labels.Values))
		for v, y := range d.Labels.Values {
			z[v] = g.scaled(g.floor + (float64(y)-g.floor)/2)
		}
		if before := g.measure("rmse", z, s.Valid); before < 0.1 {
			t.Errorf("halves have an RMSE of %g", before)
		}
		g.calibrate(z, s, "rmse")
		if after := g.measure("rmse", z, s.Valid); after > 1e-4 || math.Abs(g.found.Factor-2) > 1e-4 {
			t.Errorf("RMSE %g with the factor %g", after, g.found.Factor)
		}
	}
}

// TestLabelsOfTheSameTime: trees see labels of neighbours, but not where edges join only nodes of the same time, whose
// labels are known no sooner than a node's own.
func TestLabelsOfTheSameTime(t *testing.T) {
	for at, want := range map[int64]bool{0: false, 1: true} { // times are all 0, or differ
		for _, task := range []string{"", dataset.Numbers} {
			d := made(t, "csbm:nodes=60,degree=4,seed=2")
			d.Times, d.Labels.Task = make([]int64, 60), task
			for v := range d.Times {
				d.Times[v] = at * int64(v)
				d.Labels.Values = append(d.Labels.Values, mat.Real(v))
			}
			if task == dataset.Numbers {
				d.Labels.Names, d.Labels.Class = []string{"y"}, make([]int32, 60)
			}
			c, err := config.Load(config.Options{Recipe: "trees", Data: "-"})
			if err != nil {
				t.Fatal(err)
			}
			b, err := Build(*c, d, Trials(*c, d)[0], Options{})
			if err != nil {
				t.Fatal(err)
			}
			x := &b.forest.table
			b.fill(x)
			seen := x.unknown > 0
			for v := range 60 {
				seen = seen || x.more[v*x.width+1] > 0 || !math.IsNaN(float64(x.more[v*x.width+1+x.means+1]))
			}
			if seen != want {
				t.Errorf("%q: with times %d apart, labels of neighbours are seen: %v, want %v", task, at, seen, want)
			}
		}
	}
}
