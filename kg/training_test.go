package kg

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/stoptest"
)

// TestResume stops trainings after any number of batches and goes on in another one: the model has the same bits as that of a training
// that never stopped, and the epochs that were told are the same.
func TestResume(t *testing.T) {
	d := smallData(t, 60, 3, 400)
	all := ways()
	batches := all["bilevel"]
	batches.Bilevel = &Bilevel{L: 2, Redraw: 4, Batches: true}
	all["bilevel batches"] = batches
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			var told []Progress
			whole := finished(t, started(t, c, d), &told)
			for _, stop := range []int{0, 1, 4, 7, 10} {
				first, seen := started(t, c, d), []Progress{}
				ctx := stoptest.After(stop)
				for !first.Done() {
					p, err := first.Epoch(ctx)
					if errors.Is(err, context.Canceled) {
						break
					} else if err != nil {
						t.Fatal(err)
					}
					seen = append(seen, p)
				}
				second := started(t, c, d)
				stoptest.Carry(t, second.State(), first.State())
				second.Resume()
				if !bytes.Equal(whole, finished(t, second, &seen)) {
					t.Errorf("stopped after %d batches: another model", stop)
				}
				for i, p := range seen {
					if q := told[i]; p.Epoch != q.Epoch || p.Loss != q.Loss || math.Float64bits(p.Valid) != math.Float64bits(q.Valid) {
						t.Errorf("stopped after %d batches: epoch %+v, want %+v", stop, p, q)
					}
				}
			}
		})
	}
}

// started is a training that has just begun.
func started(t *testing.T, c Config, d *dataset.Dataset) *Training {
	t.Helper()
	tr, err := NewTraining(c, d)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// finished trains to the end and returns the file of the model.
func finished(t *testing.T, tr *Training, told *[]Progress) []byte {
	t.Helper()
	for !tr.Done() {
		p, err := tr.Epoch(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		*told = append(*told, p)
	}
	m, err := tr.Finish()
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
