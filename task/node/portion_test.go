package node

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// stored is d in a folder of small blocks.
func stored(t *testing.T, d *dataset.Dataset) *ondisk.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "x.bloom")
	src := must(ondisk.Of(d))
	must(ondisk.Build(dir, src, ondisk.Options{Rows: 17}))
	s := must(ondisk.Open(dir))
	t.Cleanup(func() { s.Close() })
	return s
}

// divided is the graph of s for parts as c says.
func divided(t *testing.T, s *ondisk.Store, c config.Config, memory int64) *ondisk.Excerpt {
	t.Helper()
	g := must(ondisk.NewExcerpt(t.Context(), s, ondisk.ExcerptOptions{
		SampleOptions: ondisk.SampleOptions(c.Train.Sample), Scratch: t.TempDir(),
		Scale: c.Data.Scale, Memory: memory, Width: c.Model.Hidden}))
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// stepped steps through some epochs and returns the weights.
func stepped(t *testing.T, task *Task, epochs int) []*mat.Dense {
	t.Helper()
	l := must(train.NewLoop(task.Config.Train, task.Job()))
	for range epochs * task.Job().Batches() {
		if err := l.Step(); err != nil {
			t.Fatal(err)
		}
	}
	var list []*mat.Dense
	for _, p := range task.Job().Params() {
		list = append(list, p.Value())
	}
	return list
}

// TestPartsFromDisk: parts that are read from the disk train the weights of parts in memory, bit for bit, whether they
// are kept or compiled again every time, have neighbours drawn around nodes or are clusters; and with as many
// neighbours as there are, the part that is looked at is the graph.
func TestPartsFromDisk(t *testing.T) {
	plain := clusters(120)
	for _, x := range []struct {
		recipe   string
		data     *dataset.Dataset
		gamma    float64
		memory   int64
		clusters int
	}{{"base", plain, 0, 1 << 30, 0}, {"base", sparse(plain), 1, 1 << 30, 0},
		{"heterophily-huber", plain, 0, 1 << 30, 0}, {"heterophily", plain, 2, 1 << 30, 0},
		{"attention", plain, 0, 161 << 20, 0}, {"stack-bundle", plain, 0, 161 << 20, 0}, {"gcn", plain, 0, 1 << 30, 0},
		{"sage", sparse(plain), 0, 1 << 30, 0}, {"gat", sparse(plain), 0, 161 << 20, 0}, {"gbk", plain, 0, 1 << 30, 0},
		{"heterophily", plain, 0, 1 << 30, 9}, {"gcn", sparse(plain), 0, 161 << 20, 9},
		{"robust", plain, 0, 1 << 30, 2}} {
		t.Run(fmt.Sprint(x.recipe, x.gamma, x.clusters), func(t *testing.T) {
			c := settings(t, x.recipe)
			c.Train.ClassWeight.Word = "balanced"
			c.Train.Sample = config.Sample{Batch: 5, Fanout: 4, Hops: 2, Gamma: x.gamma, Forget: 0.5,
				Clusters: x.clusters}
			s := stored(t, x.data)
			whole := must(ondisk.Read(s.Dir()))
			in := must(assemble(c, whole, Trials(c, whole)[0], Options{}))

			wide := c
			wide.Train.Sample.Fanout = 1000
			d := must(divided(t, stored(t, x.data), wide, 1<<30).Dataset())
			if x.memory == 1<<30 && (d.Graph.NumEdges() != whole.Graph.NumEdges() || !sameRows(d, whole)) {
				t.Error("the part that is looked at is not the graph")
			}

			g := divided(t, s, c, x.memory)
			d = must(g.Dataset())
			c.Data.Scale = "none"
			out := must(assemble(c, d, Trials(c, d)[0], Options{Disk: &OnDisk{parts: g}}))
			if got, want := out.Job().Batches(), in.Job().Batches(); got != want {
				t.Fatalf("%d parts on the disk, %d in memory", got, want)
			}
			want := stepped(t, in, 3)
			for i, got := range stepped(t, out, 3) {
				for j, w := range want[i].Slice() {
					if got.Slice()[j] != w {
						t.Fatalf("%s[%d] is %v, in memory %v", in.Job().Params()[i].Name, j, got.Slice()[j], w)
					}
				}
			}
			if kept := out.rows.(*sampled).parts[0] != nil; kept != (x.memory == 1<<30 && x.clusters < 9) {
				t.Errorf("with %d bytes a part is kept: %v", x.memory, kept)
			}
		})
	}
}

// sameRows reports whether two sets have the same features, but for scaling, and classes.
func sameRows(a, b *dataset.Dataset) bool {
	if a.Graph.NumNodes() != b.Graph.NumNodes() || a.Features[0].Cols != b.Features[0].Cols {
		return false
	}
	for v := range int32(a.Graph.NumNodes()) {
		if a.Labels.Class[v] != b.Labels.Class[v] || a.NodeName(v) != b.NodeName(v) {
			return false
		}
	}
	return true
}

// islands are n rings of five nodes, of two classes, every node in one of the parts of the split.
func islands(n int) *dataset.Dataset {
	rng := rand.New(rand.NewPCG(1, 2))
	spec := graph.Spec{Nodes: 5 * n, Undirected: true}
	d := &dataset.Dataset{Name: "islands", Labels: dataset.Labels{Names: []string{"a", "b"}},
		Features: []dataset.Matrix{{Rows: 5 * n, Cols: 3}}, Splits: make([]dataset.Split, 1)}
	for v := range int32(5 * n) {
		spec.Sources, spec.Targets = append(spec.Sources, v), append(spec.Targets, v-v%5+(v+1)%5)
		d.Labels.Class = append(d.Labels.Class, rng.Int32N(2))
		for range 3 {
			d.Features[0].Values = append(d.Features[0].Values, mat.Real(rng.NormFloat64()))
		}
		switch s := &d.Splits[0]; v % 5 {
		case 0, 1:
			s.Train = append(s.Train, v)
		case 2:
			s.Valid = append(s.Valid, v)
		default:
			s.Test = append(s.Test, v)
		}
	}
	d.Graph = must(graph.Build(spec))
	return d
}

// TestJury: where parts have all neighbours, what is measured with little memory, on the part that is looked at and on
// the jury one after the other, is what is measured on the whole graph, calibration included; parts that are tied, too.
func TestJury(t *testing.T) {
	d := islands(60)
	for _, gamma := range []float64{0, 1} {
		c := settings(t, "heterophily-huber")
		c.Data.Scale, c.Train.Metric = "none", "log_loss"
		c.Train.Sample = config.Sample{Batch: 40, Fanout: 1000, Hops: 5, Gamma: gamma, Forget: 0.5}
		whole := must(assemble(c, d, Trials(c, d)[0], Options{}))
		g := divided(t, stored(t, d), c, 160<<20+250<<10)
		few := must(g.Dataset())
		if n := few.Graph.NumNodes(); n > 150 {
			t.Fatalf("%d of 300 nodes are looked at: want few", n)
		}
		part := must(assemble(c, few, Trials(c, few)[0], Options{Disk: &OnDisk{parts: g}}))
		for i, p := range whole.Job().Params() {
			mat.Uniform(p.Value(), -1, 1, uint64(i))
			mat.Copy(part.Job().Params()[i].Value(), p.Value())
		}
		want, got := must(whole.Job().Measure(t.Context())), must(part.Job().Measure(t.Context()))
		_, test, err := whole.Job().Finish(t.Context(), train.Record{})
		_, partTest, err2 := part.Job().Finish(t.Context(), train.Record{})
		for _, x := range [][2]float64{{got.Valid, want.Valid}, {got.Test, want.Test}, {partTest, test},
			{part.goal.calibration().Temperature, whole.goal.calibration().Temperature}} {
			if !(math.Abs(x[0]-x[1]) < 1e-4) || err != nil || err2 != nil { // the order of sums
				t.Errorf("γ %v: %v, on the whole graph %v, %v, %v", gamma, x[0], x[1], err, err2)
			}
		}
	}
}

// TestAllByParts: where parts have all neighbours that the model hears, logits of all nodes by parts equal those of the
// whole graph up to the order of sums, 1e-4.
func TestAllByParts(t *testing.T) {
	d := clusters(120)
	for _, name := range []string{"heterophily-huber", "gcn", "stack-laplace"} {
		c := settings(t, name)
		c.Train.Sample = config.Sample{Batch: 7, Fanout: 1000, Hops: 20}
		whole := must(assemble(c, d, Trials(c, d)[0], Options{}))
		for i, p := range whole.Job().Params() {
			mat.Uniform(p.Value(), -1, 1, uint64(i))
		}
		if _, err := whole.Job().Measure(t.Context()); err != nil {
			t.Fatal(err)
		}
		g := divided(t, stored(t, d), c, 1<<30)
		at, k := 0, whole.Classes()
		err := whole.inParts(g, func(block int, z []mat.Real) error {
			first, end := g.Rows(block)
			if first != at || len(z) != (end-first)*k {
				t.Fatalf("%s: block %d has %d numbers from row %d", name, block, len(z), at)
			}
			for i, x := range z {
				if w := whole.last.z[at*k+i]; math.Abs(float64(x-w)) > 1e-4*max(1, math.Abs(float64(w))) {
					t.Fatalf("%s: logit %d of block %d is %v, want %v", name, i, block, x, w)
				}
			}
			at = end
			return nil
		})
		if err != nil || at != d.Graph.NumNodes() {
			t.Errorf("%s: %d nodes, %v", name, at, err)
		}
	}
}
