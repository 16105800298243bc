package node_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/task/node"
)

// TestAdviseStack: a run of a stack is not told to leave it.
func TestAdviseStack(t *testing.T) {
	a, err := trained(t, "csbm:nodes=400,degree=8,homophily=0.1,seed=3", "stack-laplace").Advise(nil)
	if err != nil || a.Recipe != "stack-laplace" {
		t.Errorf("a stack is told %+v, %v", a, err)
	}
}

// TestAdviseFewLabels: with few labels, neighbours that are not alike do not make rows that are smoothed over them, as
// base does: the recipe that is proposed is far better than base on such graphs, and base is proposed where they are
// somewhat alike. What test nodes and those of no part are is not looked at.
func TestAdviseFewLabels(t *testing.T) {
	for ref, want := range map[string]struct {
		recipe string
		gain   float64 // of test accuracy, over base
	}{
		"csbm:nodes=200,classes=2,train=0.1,homophily=0.1,signal=2,seed=11":           {"heterophily", 0.3},
		"csbm:nodes=600,classes=4,train=0.05,homophily=0.05,signal=3,seed=11":         {"heterophily", 0.1},
		"csbm:nodes=300,classes=3,train=0.1,homophily=0.33,signal=2,seed=11":          {"heterophily-huber", 0},
		"csbm:nodes=300,classes=3,train=0.1,homophily=0.55,signal=2,seed=11":          {"base", 0},
		"csbm:nodes=300,classes=3,train=0.1,homophily=0.1,features=0,seed=11":         {"lp-trained", 0},
		"csbm:nodes=4000,classes=3,train=0.001,degree=2,homophily=0.33,signal=2":      {"base", 0}, // no labelled edge
		"csbm:nodes=600,classes=4,train=0.1,homophily=0.9,signal=2,mixed=0.01,seed=1": {"robust", 0},
	} {
		d, _, err := generate.Make(ref)
		if err != nil {
			t.Fatal(err)
		}
		a, err := node.Advise(d)
		if err != nil || a.Recipe != want.recipe {
			t.Errorf("%s: %+v, %v, want %v", ref, a, err, want)
		}
		for _, v := range d.Splits[0].Test {
			d.Labels.Class[v] = int32(int(v) % len(d.Labels.Names))
		}
		if b, err := node.Advise(d); err != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s: with other test labels %+v, %v", ref, b, err)
		}
		if want.gain == 0 {
			continue
		}
		one, err1 := accuracy(ref, a.Recipe)
		base, err2 := accuracy(ref, "base")
		if err := errors.Join(err1, err2); err != nil || one < base+want.gain {
			t.Errorf("%s: test accuracy %.3f with %s, %.3f with base, %v", ref, one, a.Recipe, base, err)
		}
	}
}

// accuracy is measured on the test nodes of a generated graph with the settings for any data.
func accuracy(ref, recipe string) (float64, error) {
	d, _, err := generate.Make(ref)
	if err != nil {
		return 0, err
	}
	c, err := config.Load(config.Options{Recipe: recipe, Data: "-"})
	if err != nil {
		return 0, err
	}
	r, err := node.Run(context.Background(), *c, d, node.Options{})
	if err != nil {
		return 0, err
	}
	return r.Test.Mean, nil
}
