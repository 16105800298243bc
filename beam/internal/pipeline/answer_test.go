package pipeline_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/bloomgml/bloom/beam/internal/job"
	"github.com/bloomgml/bloom/beam/internal/pipeline"
	"github.com/bloomgml/bloom/task/node"
)

// lines are the rows of the tables of all parts, one after the other, without their headers.
func lines(t *testing.T, dir, name string, parts int) [][]string {
	t.Helper()
	var all [][]string
	for i := range parts {
		f, err := os.Open(filepath.Join(dir, fmt.Sprintf("%s-%05d.csv", name, i)))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		all = append(all, rows[1:]...)
	}
	return all
}

// same compares a cell with a number, within rounding.
func same(t *testing.T, what, cell string, want float64) {
	t.Helper()
	if got, err := strconv.ParseFloat(cell, 64); err != nil || math.Abs(got-want) > 1e-4 {
		t.Fatalf("%s is %s, want %v", what, cell, want)
	}
}

// TestAnswers wants what runs say on one machine from parts: predictions, embeddings, and who is suspicious.
func TestAnswers(t *testing.T) {
	data := stored(t)
	for _, recipe := range []string{"base", "robust"} {
		t.Run(recipe, func(t *testing.T) { answers(t, data, recipe) })
	}
}

// answers compares those of a recipe.
func answers(t *testing.T, data, recipe string) {
	t.Helper()
	r, c := trained(t, data, recipe, "energy.steps=3")
	j := begun(t, cut(t, data, 3), c, r.Dir)
	f, err := job.Open(j)
	if err != nil {
		t.Fatal(err)
	}
	if err := pipeline.Answer(t.Context(), f, pipeline.Predictions, 0); err == nil {
		t.Error("an answer before the last step")
	}
	if err := pipeline.Propagate(t.Context(), j, pipeline.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{pipeline.Predictions, pipeline.Embeddings, pipeline.Suspects} {
		if err := pipeline.Answer(t.Context(), f, what, 9); err != nil {
			t.Fatal(what, err)
		}
	}
	p, err := r.Predict()
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Collect(func(yield func(node.Prediction) bool) { p.Each(yield) })
	got, h := lines(t, j, "predictions", 3), whole(t, r)
	embedded := lines(t, j, "embeddings", 3)
	if len(got) != len(want) || len(embedded) != len(want) {
		t.Fatalf("%d predictions and %d embeddings, want %d", len(got), len(embedded), len(want))
	}
	for i, w := range want {
		g := []string{got[i][0], got[i][1], got[i][3], got[i][4], embedded[i][0]}
		if !slices.Equal(g, []string{w.ID, w.Class, w.Label, w.Split, w.ID}) {
			t.Fatalf("node %d: %v, want %+v", i, g, w)
		}
		same(t, w.ID, got[i][2], w.Probability)
		same(t, w.ID, got[i][5], *w.Residual)
		same(t, w.ID, embedded[i][8], float64(h[i*8+7]))
	}
	slices.SortFunc(want, func(a, b node.Prediction) int { return cmp.Compare(*b.Residual, *a.Residual) })
	list, err := f.Audited(9)
	if err != nil || len(list) != 9 {
		t.Fatal(list, err)
	}
	for i, s := range list {
		if s.Rank != i+1 || math.Abs(s.Residual-*want[i].Residual) > 1e-4 {
			t.Errorf("suspect %d is %+v, want %s with %v", i, s, want[i].ID, *want[i].Residual)
		}
	}
}
