package node

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// sparse is d with its features as a sparse matrix.
func sparse(d *dataset.Dataset) *dataset.Dataset {
	x := d.Features[0]
	y := dataset.Matrix{Cols: x.Cols, Ptr: []int64{0}}
	for i := range x.Rows {
		for j, v := range x.Values[i*x.Cols : (i+1)*x.Cols] {
			if v > 0 {
				y.Idx, y.Values = append(y.Idx, int32(j)), append(y.Values, v)
			}
		}
		y.Ptr, y.Rows = append(y.Ptr, int64(len(y.Idx))), y.Rows+1
	}
	c := *d
	c.Features = []dataset.Matrix{y}
	return &c
}

// TestWholePart: a part that holds the whole graph has the loss and the derivatives of the full batch, for models of
// all kinds, and so do features of all kinds. Sums are in another order at most: 1e-4 of the largest number.
func TestWholePart(t *testing.T) {
	plain := clusters(60)
	bare := *plain
	bare.Features = nil
	for _, x := range []struct {
		recipe string
		data   *dataset.Dataset
	}{{"base", plain}, {"base", sparse(plain)}, {"base", &bare}, {"robust", plain}, {"heterophily-huber", plain},
		{"attention", plain}, {"stack-bundle", plain}, {"stack-laplace", &bare}, {"halo", library()},
		{"rgcn", library()},
		{"gcn", plain}, {"gcn", sparse(plain)}, {"gcn", library()}, {"sage", plain}, {"sage", sparse(plain)},
		{"gbk", plain}, {"gat", sparse(plain)}} {
		c := settings(t, x.recipe)
		c.Model.Dropout, c.Model.InputDropout = 0, 0
		c.Train.ClassWeight.Word = "balanced"
		whole := must(assemble(c, x.data, Trials(c, x.data)[0], Options{}))
		c.Train.Sample = config.Sample{Batch: 1000, Fanout: 1000, Hops: 20}
		part := must(assemble(c, x.data, Trials(c, x.data)[0], Options{}))
		if got := len(part.rows.(*sampled).from.(*inside).parts[0].Nodes); got != x.data.Graph.NumNodes() {
			t.Fatalf("%s: the part has %d nodes", x.recipe, got)
		}
		for i, p := range whole.Job().Params() {
			mat.Uniform(p.Value(), -1, 1, uint64(i))
			mat.Copy(part.Job().Params()[i].Value(), p.Value())
		}
		for _, task := range []*Task{whole, part} {
			if err := task.Job().Batch(1, 0); err != nil {
				t.Fatal(err)
			}
		}
		near(t, x.recipe+": loss", part.Job().Loss(), whole.Job().Loss())
		for i, g := range whole.Job().Grads() {
			near(t, x.recipe+": "+whole.Job().Params()[i].Name, part.Job().Grads()[i], g)
		}
	}
}

// TestAccumulate: parts with all neighbours that make one step have the loss and derivatives of the full batch, and
// fewer of them at a time are as many steps as they should be.
func TestAccumulate(t *testing.T) {
	d := clusters(60)
	for _, name := range []string{"base", "heterophily", "stack-laplace", "gcn"} {
		c := settings(t, name)
		c.Model.Dropout, c.Model.InputDropout = 0, 0
		whole := must(assemble(c, d, Trials(c, d)[0], Options{}))
		c.Train.Sample = config.Sample{Batch: 3, Fanout: 1000, Hops: 20, Accumulate: 100}
		parts := must(assemble(c, d, Trials(c, d)[0], Options{}))
		n := len(parts.rows.(*sampled).parts)
		if n < 3 || parts.Job().Batches() != 1 {
			t.Fatalf("%s: %d parts, %d steps", name, n, parts.Job().Batches())
		}
		for i, p := range whole.Job().Params() {
			mat.Uniform(p.Value(), -1, 1, uint64(i))
			mat.Copy(parts.Job().Params()[i].Value(), p.Value())
		}
		for epoch := 1; epoch <= 2; epoch++ {
			for _, task := range []*Task{whole, parts} {
				if err := task.Job().Batch(epoch, 0); err != nil {
					t.Fatal(err)
				}
			}
			near(t, name+": loss", parts.Job().Loss(), whole.Job().Loss())
			for i, g := range whole.Job().Grads() {
				near(t, name+": "+whole.Job().Params()[i].Name, parts.Job().Grads()[i], g)
			}
		}
		c.Train.Sample.Accumulate = 2
		if got := must(assemble(c, d, Trials(c, d)[0], Options{})).Job().Batches(); got != (n+1)/2 {
			t.Errorf("%s: %d steps of 2 of %d parts", name, got, n)
		}
	}
}

// near compares matrices.
func near(t *testing.T, what string, got, want *mat.Dense) {
	t.Helper()
	most, off := 1e-6, 0.0
	for i, w := range want.Slice() {
		most, off = max(most, math.Abs(float64(w))), max(off, math.Abs(float64(got.Slice()[i]-w)))
	}
	if !(off <= 1e-4*most) {
		t.Errorf("%s: %v apart of %v", what, off, most)
	}
}

// tiedEnergy is Σ_s [ ℓ_low(H_s) + γ/2 Σ_v ‖h_sv − μ_v‖² ] where the descents end.
func tiedEnergy(t *testing.T, s *sampled) float64 {
	total := 0.0
	for i := range s.parts {
		p := must(s.networkOn(must(s.from.portion(i)))).(tied)
		m := &p.Levels[0]
		h, err := m.Embed(input.Evaluation(), p.on)
		if err != nil {
			t.Fatal(err)
		}
		total += float64(ad.Eval(m.Lower(input.Evaluation(), p.on).Smooth(h)).Item())
	}
	return total
}

// TestTiedEnergyFalls: with weights that stay, descending on every part while the means are held and then moving these
// lowers the one energy of all parts, for terms with a fast form and without. Means move after every part, so that the
// fall need not be monotone in the end: 0.1 % is allowed.
func TestTiedEnergyFalls(t *testing.T) {
	for _, name := range []string{"base", "robust", "heterophily"} {
		c := settings(t, name)
		c.Model.Dropout, c.Model.InputDropout = 0, 0
		c.Energy.L = 20
		c.Train.Sample = config.Sample{Batch: 3, Fanout: 3, Hops: 2, Gamma: 3, Forget: 0.8}
		d := clusters(100)
		s := must(assemble(c, d, Trials(c, d)[0], Options{})).rows.(*sampled)
		var energies []float64
		for epoch := 1; epoch <= 12; epoch++ {
			for i := range s.parts {
				if _, err := s.batch(epoch, i); err != nil {
					t.Fatal(err)
				}
			}
			if epoch%3 == 1 {
				energies = append(energies, tiedEnergy(t, s))
			}
		}
		for i, e := range energies[1:] {
			if e > 1.001*energies[i] {
				t.Errorf("%s: the energy rises from %v to %v", name, energies[i], e)
			}
		}
		if first, last := energies[0], energies[len(energies)-1]; !(last < 0.999*first) {
			t.Errorf("%s: the energy was %v and is %v", name, first, last)
		}
	}
}

// TestOneCluster: a graph that is one cluster is trained on as the full batch is, on the CPU bit for bit where no row
// is left out. A Device without fused operations adds up in other orders.
func TestOneCluster(t *testing.T) {
	d := clusters(60)
	for _, name := range []string{"base", "robust", "heterophily", "stack-laplace", "gat"} {
		c := settings(t, name)
		c.Model.Dropout, c.Model.InputDropout = 0, 0
		whole := must(assemble(c, d, Trials(c, d)[0], Options{}))
		c.Train.Sample = config.Sample{Batch: 1000, Clusters: 1}
		want := stepped(t, whole, 3)
		for i, got := range stepped(t, must(assemble(c, d, Trials(c, d)[0], Options{})), 3) {
			what := name + ": " + whole.Job().Params()[i].Name
			if near(t, what, got, want[i]); got.Device() == mat.CPU && !slices.Equal(got.Slice(), want[i].Slice()) {
				t.Errorf("%s differs from that of the full batch", what)
			}
		}
	}
}

// TestClusters: parts have exactly the edges between their nodes, an epoch has every node once and deals other parts
// than the one before, and weights are the same for any number of threads.
func TestClusters(t *testing.T) {
	d, c := clusters(300), settings(t, "gcn")
	c.Train.Sample = config.Sample{Batch: 3, Clusters: 20}
	defer mat.SetThreads(mat.Threads())
	var want []*mat.Dense
	for _, threads := range []int{1, 2, 8} {
		mat.SetThreads(threads)
		got := stepped(t, must(assemble(c, d, Trials(c, d)[0], Options{})), 3)
		for i, w := range want {
			if !slices.Equal(got[i].Slice(), w.Slice()) {
				t.Errorf("%d threads give other weights", threads)
			}
		}
		want = got
	}
	s := must(assemble(c, d, Trials(c, d)[0], Options{})).rows.(*sampled)
	in, before := s.from.(*inside), []ondisk.SamplePart{}
	for epoch := 1; epoch <= 2; epoch++ {
		if _, err := s.batch(epoch, 0); err != nil {
			t.Fatal(err)
		}
		if reflect.DeepEqual(in.parts, before) {
			t.Error("two epochs have the same parts")
		}
		before = in.parts
		seen := map[int32]int{}
		for i, p := range in.parts {
			for _, v := range p.Nodes {
				seen[v]++
			}
			induced(t, d.Graph, must(in.portion(i)).graph, p.Nodes)
		}
		if len(seen) != 300 || len(in.parts) != 4 {
			t.Errorf("%d nodes in %d parts", len(seen), len(in.parts))
		}
	}
}

// induced checks that part has the edges of g whose ends are both in nodes, and no others.
func induced(t *testing.T, g, part *graph.Graph, nodes []int32) {
	t.Helper()
	var want, got [][2]int32
	for _, e := range g.Triples() {
		if slices.Contains(nodes, e.U) && slices.Contains(nodes, e.V) {
			want = append(want, [2]int32{min(e.U, e.V), max(e.U, e.V)})
		}
	}
	for _, e := range part.Triples() {
		u, v := nodes[e.U], nodes[e.V]
		got = append(got, [2]int32{min(u, v), max(u, v)})
	}
	order := func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(want, order)
	if slices.SortFunc(got, order); !slices.Equal(got, want) {
		t.Errorf("a part has %d edges, want %d", len(got), len(want))
	}
}

// TestUndivided wants the reason why something cannot be trained on parts.
func TestUndivided(t *testing.T) {
	d := clusters(60)
	bare := *d
	bare.Features = nil
	for _, x := range []struct {
		recipe, key, want string
		gamma             float64
		data              *dataset.Dataset
		clusters          int
	}{
		{"base", "train.sample.gamma", "in only one", 1, d, 5},
		{"base", "train.sample.clusters", "at most 60", 0, d, 61},
		{"lp-trained", "train.sample.batch", "labels", 0, d, 0},
		{"gcn", "train.sample.gamma", "baseline", 1, d, 0}, {"stack-laplace", "train.sample.gamma", "stack", 1, d, 0},
		{"rgcn", "train.sample.batch", "no features", 0, &bare, 0},
	} {
		c := settings(t, x.recipe)
		c.Train.Sample = config.Sample{Batch: 4, Fanout: 3, Hops: 1, Gamma: x.gamma, Clusters: x.clusters}
		_, err := Build(c, x.data, Trials(c, x.data)[0], Options{})
		var bad *train.BadSetting
		if !errors.As(err, &bad) || bad.Key != x.key || !strings.Contains(bad.Want, x.want) {
			t.Errorf("%s: %v", x.recipe, err)
		}
	}
}
