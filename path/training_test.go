package path

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/stoptest"
)

// TestResume stops trainings after some batches, in the midst of an epoch too, and goes on in others: weights and
// events have the same bits as those of a training that never stopped.
func TestResume(t *testing.T) {
	d := families(t, "family:families=1,twin=0")
	d.Valid = d.Valid[:min(5, len(d.Valid))]
	for name, start := range map[string]func(*testing.T) (underway, []*ad.Param){
		"path":     func(t *testing.T) (underway, []*ad.Param) { return startPath(t, d) },
		"refactor": func(t *testing.T) (underway, []*ad.Param) { return startRefactor(t, d) },
	} {
		t.Run(name, func(t *testing.T) {
			var told []Event
			whole, params := start(t)
			proceed(t, context.Background(), whole, &told)
			for _, stop := range []int{1, 9} {
				var seen []Event
				first, _ := start(t)
				proceed(t, stoptest.After(stop), first, &seen)
				second, again := start(t)
				stoptest.Carry(t, second.State(), first.State())
				proceed(t, context.Background(), second, &seen)
				if got, want := fmt.Sprint(bits(again)), fmt.Sprint(bits(params)); got != want {
					t.Errorf("stopped after %d batches: other weights", stop)
				}
				if len(seen) != len(told) {
					t.Fatalf("%d epochs, want %d", len(seen), len(told))
				}
				for i, e := range seen {
					if w := told[i]; e.Epoch != w.Epoch || e.Loss != w.Loss || math.Float64bits(e.Valid) != math.Float64bits(w.Valid) {
						t.Errorf("stopped after %d batches: %+v, want %+v", stop, e, w)
					}
				}
			}
		})
	}
}

func startPath(t *testing.T, d *dataset.Dataset) (underway, []*ad.Param) {
	t.Helper()
	tr, err := NewTraining(Config{Hidden: 4, Layers: 2, Negatives: 4, Epochs: 3, Batch: 64, Schedule: Linear, Seed: 3}, d)
	if err != nil {
		t.Fatal(err)
	}
	return tr, tr.Model.params
}

func startRefactor(t *testing.T, d *dataset.Dataset) (underway, []*ad.Param) {
	t.Helper()
	tr, err := NewRefactorTraining(RefactorConfig{Hidden: 4, Epochs: 7, Reset: 3, Seed: 3}, d)
	if err != nil {
		t.Fatal(err)
	}
	return tr, tr.Model.Params()
}

// proceed trains until the end, or that of ctx.
func proceed(t *testing.T, ctx context.Context, tr underway, told *[]Event) {
	t.Helper()
	if err := through(ctx, tr, func(e Event) { *told = append(*told, e) }); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func bits(params []*ad.Param) (all []uint64) {
	for _, p := range params {
		for _, x := range p.Value().Slice() {
			all = append(all, math.Float64bits(float64(x)))
		}
	}
	return all
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		Schedule
		t, want float64
	}{{"", 0.75, 2}, {Constant, 0.75, 2}, {Linear, 0, 2}, {Linear, 0.75, 0.5}, {Linear, 1.5, 0}} {
		if got := (Config{Rate: 2, Schedule: c.Schedule}).rate(c.t); got != c.want {
			t.Errorf("%q at %v: %v, want %v", c.Schedule, c.t, got, c.want)
		}
	}
}
