package ondisk_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/ondisk"
)

// store is a planted partition in small blocks, and its folder.
func store(t *testing.T) (*ondisk.Store, string) {
	t.Helper()
	src, ok, err := generate.Stream("planted:nodes=500,edges=1500,features=4,classes=4")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	dir := filepath.Join(t.TempDir(), "x.bloom")
	if _, err := ondisk.Build(dir, src, ondisk.Options{Rows: 64}); err != nil {
		t.Fatal(err)
	}
	s, err := ondisk.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

// graphOnDisk is s with parts of 20 training nodes and 3 neighbours of each.
func graphOnDisk(t *testing.T, ctx context.Context, s *ondisk.Store, memory int64) *ondisk.Excerpt {
	t.Helper()
	g, err := ondisk.NewExcerpt(ctx, s, ondisk.ExcerptOptions{
		SampleOptions: ondisk.SampleOptions{Batch: 20, Fanout: 3, Hops: 1}, Scratch: t.TempDir(),
		Scale: "none", Memory: memory, Width: 8, Steps: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// TestDraw: a seed draws the same parts every time, whose seeds are each training node once, and nothing is left of
// them in the folder where they lie.
func TestDraw(t *testing.T) {
	s, _ := store(t)
	g := graphOnDisk(t, t.Context(), s, 1<<30)
	var before [][]int32
	for range 2 {
		if err := g.DrawParts(nil, 7); err != nil {
			t.Fatal(err)
		}
		var all [][]int32
		seen := map[int32]bool{}
		for i := range g.Len() {
			p, err := g.Part(i)
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range p.Seeds {
				if v := p.Nodes[at]; seen[v] {
					t.Errorf("node %d is a seed of two parts", v)
				} else {
					seen[v] = true
				}
			}
			all = append(all, p.Nodes)
		}
		if len(seen) == 0 || before != nil && !slices.EqualFunc(all, before, slices.Equal) {
			t.Errorf("%d seeds; the parts of one seed differ", len(seen))
		}
		before = all
	}
	if left, err := os.ReadDir(g.Scratch); err != nil || len(left) > 0 && runtime.GOOS != "windows" {
		t.Errorf("%v lie in the folder of parts, %v", left, err)
	}
}

// TestJury: if the observed subgraph is small, further validation and test nodes are measured, each once, and no
// training node or node of that subgraph; if it has all of them, there are no others.
func TestJury(t *testing.T) {
	s, _ := store(t)
	g := graphOnDisk(t, t.Context(), s, 160<<20+100<<10)
	d, err := g.Dataset()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, v := range slices.Concat(d.Splits[0].Train, d.Splits[0].Valid, d.Splits[0].Test) {
		seen[d.NodeName(v)] = true
	}
	if len(seen) == 0 || len(seen) > 250 {
		t.Fatalf("%d of 500 nodes are looked at: want few", len(seen))
	}
	j, err := g.Jury()
	if err != nil {
		t.Fatal(err)
	}
	at, counted := int32(0), map[int32]string{}
	for _, v := range j.Valid {
		counted[v] = "valid"
	}
	for _, v := range j.Test {
		counted[v] = "test"
	}
	whole, err := ondisk.Read(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	parts := 0
	err = j.Each(func(p *ondisk.ExcerptPart) error {
		parts++
		for _, r := range p.Seeds {
			v := p.Nodes[r]
			name, is := whole.NodeName(v), map[bool]string{true: "valid", false: "test"}
			split := whole.Splits[0]
			if seen[name] || slices.Contains(split.Train, v) || j.Class[at] != whole.Labels.Class[v] ||
				counted[at] != is[slices.Contains(split.Valid, v)] {
				t.Errorf("node %s, %d of the jury, is judged as %s", name, at, counted[at])
			}
			seen[name] = true
			at++
		}
		return nil
	})
	if err != nil || parts != 16 || int(at) != len(j.Class) || len(counted) != len(j.Class) || len(j.Valid) == 0 {
		t.Errorf("%d nodes in %d parts, %d of them counted, %v", at, parts, len(counted), err)
	}
	if left, err := os.ReadDir(g.Scratch); err != nil || len(left) > 0 && runtime.GOOS != "windows" {
		t.Errorf("%v lie in the folder of parts, %v", left, err)
	}

	all := graphOnDisk(t, t.Context(), s, 1<<30)
	if _, err := all.Dataset(); err != nil {
		t.Fatal(err)
	}
	if j, err := all.Jury(); err != nil || len(j.Class) > 0 {
		t.Errorf("%d nodes are judged beside all, %v", len(j.Class), err)
	}
}

// TestSomeOfTheJury: as for an estimate, some parts of a jury stand for all of them.
func TestSomeOfTheJury(t *testing.T) {
	s, _ := store(t)
	for some, want := range map[int]float64{0: 1, 4: 4, 100: 1} {
		g := graphOnDisk(t, t.Context(), s, 160<<20+100<<10)
		g.Some = some
		if _, err := g.Dataset(); err != nil {
			t.Fatal(err)
		}
		j, err := g.Jury()
		if err != nil || j.Times() != want {
			t.Errorf("%d of 16 parts: each stands for %v, %v", some, j.Times(), err)
		}
	}
}

// TestCutGraph: a graph that is cut while parts are drawn is an error that names the file and the block.
func TestCutGraph(t *testing.T) {
	s, dir := store(t)
	g := graphOnDisk(t, t.Context(), s, 1<<30)
	if err := os.Truncate(filepath.Join(dir, "adjacency.bin"), 100); err != nil {
		t.Fatal(err)
	}
	if err := g.DrawParts(nil, 7); err == nil || !strings.Contains(err.Error(), "adjacency.bin") {
		t.Error(err)
	}
}

// TestStopped: what is under way ends with its context.
func TestExcerptStopped(t *testing.T) {
	s, _ := store(t)
	ctx, stop := context.WithCancel(t.Context())
	g := graphOnDisk(t, ctx, s, 1<<30)
	stop()
	if err := g.DrawParts(nil, 7); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestTooLittle: memory that not even a node with its neighbours fits into is refused with how much would do, and that
// much does.
func TestTooLittle(t *testing.T) {
	s, _ := store(t)
	g := graphOnDisk(t, t.Context(), s, 1<<20)
	g.Batch = 0
	err := g.Fit()
	if err == nil || !strings.Contains(err.Error(), "is allowed") {
		t.Fatal(err)
	}
	g.Memory = 1 << 30
	if err := g.Fit(); err != nil || g.Batch < 1 {
		t.Errorf("%d nodes a part of 1 GiB, %v", g.Batch, err)
	}
}
