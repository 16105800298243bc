package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/beam/internal/job"
	"github.com/bloomgml/bloom/beam/internal/pipeline"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
)

// storedTyped is a graph of three relations in blocks, some edges of it parallel or both ways: of three types of nodes,
// the last of which has no features, or of one type without.
func storedTyped(t *testing.T, types int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	const n = 150
	spec := graph.Spec{Nodes: n, Relations: 3, Types: types}
	d := &dataset.Dataset{Name: "typed", Relations: []string{"has", "knows", "near"},
		Labels: dataset.Labels{Names: []string{"a", "b"}}, Splits: make([]dataset.Split, 1)}
	if types == 3 {
		d.Types, d.Features = []string{"person", "thing", "place"}, []dataset.Matrix{{Cols: 4}, {Cols: 3}, {}}
	}
	for v := range int32(n) {
		kind := r.Int32N(int32(types))
		spec.NodeTypes = append(spec.NodeTypes, kind)
		if types == 3 && kind < 2 {
			row := make([]mat.Real, d.Features[kind].Cols)
			for j := range row {
				row[j] = mat.Real(r.NormFloat64())
			}
			d.Features[kind].AppendRow(row)
		}
		d.Labels.Class = append(d.Labels.Class, v%2)
		ondisk.Part(1+v%3).AddTo(&d.Splits[0], v)
	}
	for range 500 {
		spec.Triples = append(spec.Triples, graph.Triple{U: r.Int32N(n), R: r.Int32N(3), V: r.Int32N(n)})
	}
	var err error
	if d.Graph, err = graph.Build(spec); err != nil {
		t.Fatal(err)
	}
	src, err := ondisk.Of(d)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "data.bloom")
	if _, err := ondisk.Build(dir, src, ondisk.Options{Rows: 40, Order: "degree"}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestTypedEqual wants the states of one machine from several numbers of parts and chunks, on graphs with types of
// nodes and relations.
func TestTypedEqual(t *testing.T) {
	for _, types := range []int{1, 3} {
		data := storedTyped(t, types)
		parts := map[int]string{1: cut(t, data, 1), 3: cut(t, data, 3), 7: cut(t, data, 7)}
		for _, recipe := range []string{"halo", "halo-huber", "halo-logcosh"} {
			r, c := trained(t, data, recipe, "energy.steps=5")
			want := whole(t, r)
			for n, folder := range parts {
				for _, chunk := range []int{1, 3, 99} {
					if chunk != 3 && (n != 3 || recipe != "halo" || testing.Short()) {
						continue
					}
					dir := begun(t, folder, c, r.Dir)
					if err := pipeline.Propagate(t.Context(), dir, pipeline.Options{Chunk: chunk}); err != nil {
						t.Fatal(err)
					}
					near(t, fmt.Sprintf("%s, %d types, %d parts, chunks of %d", recipe, types, n, chunk),
						states(t, dir), want)
				}
			}
		}
	}
}

// TestTypedRefused wants the reason why other recipes do not go in parts there, and that there are no shards.
func TestTypedRefused(t *testing.T) {
	data := storedTyped(t, 3)
	folder := cut(t, data, 2)
	r, c := trained(t, data, "base")
	if _, err := job.NewSpec(folder, *c, r.Dir); err == nil || !strings.Contains(err.Error(), "as in halo") {
		t.Error(err)
	}
	halo, err := config.Load(config.Options{Recipe: "halo", Data: data})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := job.NewSpec(folder, *halo, ""); err == nil || !strings.Contains(err.Error(), "needs a run") {
		t.Error(err)
	}
	if _, err := job.NewSampler(folder); err == nil || !strings.Contains(err.Error(), "have no shards") {
		t.Error(err)
	}
}
