package main

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/task/fact"
)

// kin is a job on a generated knowledge graph.
func kin(t *testing.T, settings string) job {
	t.Helper()
	d, err := catalogue.Open("family:families=6,twin=2")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse("cells/x/x-family.yaml",
		[]byte("row: x\ndata: family\nabout: a\nseeds: 1\nbudget: none\nsettings: "+settings+"\n"+oneNumber))
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := c.Config()
	if err != nil {
		t.Fatal(err)
	}
	return job{cell: c, config: *cfg, data: d}
}

// TestMeasureRanks: the numbers are what a training run measures, as percentages, and every number that cells ask for
// is there.
func TestMeasureRanks(t *testing.T) {
	for _, settings := range []string{"{recipe: path, model: {hidden: 8, layers: 3}, train: {epochs: 2}}",
		"{recipe: distmult, train: {epochs: 4}}"} {
		j := kin(t, settings)
		o, err := measureRanks(context.Background(), j)
		if err != nil {
			t.Fatal(err)
		}
		r, err := fact.Run(context.Background(), j.config, j.data, fact.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if o.Valid != 100*r.Valid.Mean || !slices.ContainsFunc([]string{of50, "mrr"}, func(name string) bool {
			return o.Numbers[name] == 100*r.Test.Mean
		}) {
			t.Errorf("%s: %v, want test %v and validation %v", settings, o, r.Test.Mean, r.Valid.Mean)
		}
	}
	for _, id := range []string{"kgc", "kge"} {
		e, err := Find(id)
		if err != nil {
			t.Fatal(err)
		}
		cells, err := e.Cells("cells")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cells {
			for _, n := range c.Numbers {
				if !slices.Contains([]string{of50, "mrr", "hits@1", "hits@3", "hits@10"}, n.Name) {
					t.Errorf("%s: nobody measures %q", c.file, n.Name)
				}
			}
			if cfg, err := c.Config(); err != nil {
				t.Error(err)
			} else if _, err := kg.FromConfig(*cfg); err != nil && cfg.Energy != nil {
				t.Errorf("%s: %v", c.file, err)
			}
		}
	}
}

// TestMeasureNewcomers: entities that were held out rank far above chance after some steps, and the numbers belong
// together.
func TestMeasureNewcomers(t *testing.T) {
	j := kin(t, "{recipe: distmult, train: {epochs: 12}}")
	o, err := measureNewcomers(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Find("new-entities")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := e.Cells("cells")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range cells[0].Numbers {
		if v, ok := o.Numbers[n.Name]; !ok || !(v > 0) {
			t.Errorf("%q is %v", n.Name, v)
		}
	}
	if got, want := o.Numbers[kept], 100*o.Numbers["L=10"]/o.Numbers[retrained]; math.Abs(got-want) > 1e-9 {
		t.Errorf("kept %v, want %v", got, want)
	}
	// By chance the MRR among 150 entities is about 4 %.
	if o.Numbers["L=10"] < 10 || len(o.Curves) != 2 || len(o.Curves[0].X) != len(settleSteps) {
		t.Errorf("%v with curves %v", o, o.Curves)
	}
}
