package pipeline_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/bloomgml/bloom/beam/internal/job"
	"github.com/bloomgml/bloom/beam/internal/pipeline"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

// TestSample wants sets whose own rows have the features, labels and degrees that they have in the whole graph, and
// that have all labelled nodes between them.
func TestSample(t *testing.T) {
	data, out := stored(t), t.TempDir()
	if _, err := pipeline.Sample(t.Context(), cut(t, data, 3), out); err != nil {
		t.Fatal(err)
	}
	whole, err := ondisk.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	at, teach := int32(0), 0
	row, want := make([]mat.Real, 6), make([]mat.Real, 6)
	for i := range 3 {
		d, err := native.Read(filepath.Join(out, fmt.Sprintf("shard-%05d.bloom", i)))
		if err != nil {
			t.Fatal(err)
		}
		teach += len(d.Splits[0].Train)
		for v := range int32(d.Graph.NumNodes()) {
			if d.Labels.Class[v] < 0 {
				break // the halo
			}
			_, got := d.Graph.Adjacency().Row(int(v))
			_, all := whole.Graph.Adjacency().Row(int(at))
			d.Features[0].Row(row, int(v))
			whole.Features[0].Row(want, int(at))
			near(t, "features", row, want)
			if d.IDs.At(v) != whole.IDs.At(at) || d.Labels.Class[v] != whole.Labels.Class[at] || len(got) != len(all) {
				t.Fatalf("part %d: node %d is not %d of the graph", i, v, at)
			}
			at++
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if int(at) != whole.Graph.NumNodes() || teach != len(whole.Splits[0].Train) {
		t.Errorf("%d nodes of which %d teach, want %d and %d", at, teach, whole.Graph.NumNodes(),
			len(whole.Splits[0].Train))
	}
}

// TestSettled wants the set to train on that one machine makes.
func TestSettled(t *testing.T) {
	data := stored(t)
	c, err := config.Load(config.Options{Recipe: "base", Data: data, Set: []string{"model.before=1"}})
	if err != nil {
		t.Fatal(err)
	}
	j := begun(t, cut(t, data, 3), c, "")
	if err := pipeline.Propagate(t.Context(), j, pipeline.Options{}); err != nil {
		t.Fatal(err)
	}
	got, err := job.Settled(j)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ondisk.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := node.NewDisk(*c, s.Columns, s.Classes)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ondisk.Settle(context.Background(), s, ondisk.SettleOptions{Local: l.Local, Steps: l.Steps,
		Energy: l.Energy,
		Scale:  c.Data.Scale, Seed: c.Train.Seed, Memory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "settled", got.Features[0].Values, want.Features[0].Values)
	if got.Settled != want.Settled || len(got.Splits[0].Train) != len(want.Splits[0].Train) {
		t.Errorf("%+v with %d that teach, want %+v with %d", got.Settled, len(got.Splits[0].Train), want.Settled,
			len(want.Splits[0].Train))
	}
}
