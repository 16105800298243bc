package node

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// averagedOf is the comparison of closed form and trees on d, won by their average.
func averagedOf(t *testing.T, d *dataset.Dataset) *Raced {
	t.Helper()
	var list []*entrant
	r := &race{}
	for _, name := range []string{"closed", "trees"} {
		c, err := config.Load(config.Options{Recipe: name, Data: "-", Set: []string{"data.folds=3"}})
		if err == nil && name == "trees" {
			c.Train.Epochs = 20
		}
		if err == nil && r.trials == nil {
			err = r.prepare(*c, d)
		}
		e := &entrant{name: name, config: *c}
		if err == nil {
			err = e.advance(context.Background(), r.trials, 3)
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	both := &entrant{members: list}
	x, err := r.trials.build(both.voice().config, 0)
	if err != nil {
		t.Fatal(err)
	}
	r.average(both, x.goal)
	r.entrants = append(list, both)
	raced, err := r.result(both)
	if err != nil {
		t.Fatal(err)
	}
	return raced
}

// TestAverage: predictions of an average are the means of its members' logits, or of their numbers, also when the run
// is opened and with new nodes; Alone is the voice with the calibration that it has without the others.
func TestAverage(t *testing.T) {
	numbers := undividedHere(t, "csbm:nodes=120,classes=2,homophily=0.8,signal=1,seed=5")
	numbers.Labels = dataset.Labels{Task: dataset.Numbers, Names: []string{"y"}, Class: make([]int32, 120)}
	for v := range 120 {
		numbers.Labels.Values = append(numbers.Labels.Values, mat.Real(math.Exp(float64(v%17)/8)))
	}
	for name, d := range map[string]*dataset.Dataset{
		"classes": undividedHere(t, "csbm:nodes=120,classes=2,homophily=0.8,signal=1,seed=5"), "numbers": numbers,
	} {
		less, late := without(t, d, 5)
		less.DrawnSplit = true
		raced := averagedOf(t, less)
		if raced.Voice != "trees" || len(raced.Members) != 1 || raced.Members[0].Name != "closed" {
			t.Fatalf("%s: voice %s, members %+v", name, raced.Voice, raced.Members)
		}
		dir := filepath.Join(t.TempDir(), "run")
		o := Options{Options: train.Options{Dir: dir}, Raced: raced}
		result, err := Run(context.Background(), raced.Config, less, o)
		if err != nil {
			t.Fatal(err)
		}
		ended := Of(result)
		own, other := logitsOf(t, (&Trained{Task: ended}).Alone().Task), logitsOf(t, ended.others[0].Task)
		want := meanLogits([][]mat.Real{own, other}, []goal{ended.goal, ended.others[0].goal})
		if got := logitsOf(t, ended); !slices.Equal(got, want) || slices.Equal(got, own) {
			t.Errorf("%s: logits %v, want %v", name, got[:4], want[:4])
		}
		again, err := Load(dir, raced.Config, less, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := logitsOf(t, again.Task); !slices.Equal(got, want) {
			t.Errorf("%s: the run that is opened has %v, want %v", name, got[:4], want[:4])
		}
		if !strings.Contains(again.Averaged(), "trees, closed") || again.Alone().Averaged() != "" {
			t.Errorf("%s: %q", name, again.Averaged())
		}
		with, err := again.Add(late)
		if err != nil {
			t.Fatal(err)
		}
		saved := filepath.Join(t.TempDir(), "saved")
		if err := again.Save(saved, late); err != nil {
			t.Fatal(err)
		}
		kept, err := Open(saved)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(logitsOf(t, with), logitsOf(t, kept.Task)) || len(kept.others) != 1 {
			t.Errorf("%s: new nodes get other answers once they are saved", name)
		}
	}
}

func logitsOf(t *testing.T, x *Task) []mat.Real {
	t.Helper()
	p, err := x.Predict()
	if err != nil {
		t.Fatal(err)
	}
	return p.Logits.Slice()
}

func undividedHere(t *testing.T, ref string) *dataset.Dataset {
	t.Helper()
	d := made(t, ref)
	d.DrawnSplit = true
	return d
}

// TestBestAverage: an average is taken if it is better than the best candidate by more than a standard error, and never
// with a candidate that takes no new nodes.
func TestBestAverage(t *testing.T) {
	d := undividedHere(t, "csbm:nodes=60,classes=2,seed=3")
	r := &race{}
	c, err := config.Load(config.Options{Recipe: "closed", Data: "-", Set: []string{"data.folds=3"}})
	if err == nil {
		err = r.prepare(*c, d)
	}
	if err != nil {
		t.Fatal(err)
	}
	// planted answers: a errs on nodes that are 0 modulo 3, b on those that are 1, with less certainty than they have
	// elsewhere, so that their mean never errs, unless b is certain of errors on all others in a fold
	planted := func(name string, wrong int32, certain int) *entrant {
		e := &entrant{name: name, config: *c}
		for i := range 3 {
			valid := r.trials.folds.split(i).Valid
			var z []mat.Real
			hits := 0.0
			for _, v := range valid {
				x := mat.Real(3)
				switch {
				case i == certain && v%3 > 0:
					x = -9
				case v%3 == wrong:
					x = -1
				default:
					hits++
				}
				if d.Labels.Class[v] == 0 {
					x = -x
				}
				z = append(z, -x, x)
			}
			e.curves = append(e.curves, &curve{valid: valid, epochs: []int{0}, answers: [][]mat.Real{z},
				scores: []float64{hits / float64(len(valid))}, test: []float64{math.NaN()}})
		}
		return e
	}
	a, b := planted("trees", 0, -1), planted("base", 1, -1)
	if e := r.bestAverage([]*entrant{a, b}); e == nil || e.mean(0) != 1 || len(e.members) != 2 {
		t.Errorf("%+v", e)
	}
	if e := r.bestAverage([]*entrant{a, planted("closed", 0, -1)}); e != nil {
		t.Errorf("two that err alike are averaged: %+v", e)
	}
	if e := r.bestAverage([]*entrant{a, planted("base", 1, 1)}); e != nil {
		t.Errorf("an average that is better on two folds and worse on one: %+v", e)
	}
	if e := r.bestAverage([]*entrant{a, planted("gcn", 1, -1)}); e != nil {
		t.Errorf("an average has %s in it", e.name)
	}
}
