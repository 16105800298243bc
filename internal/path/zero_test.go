package path

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/metric"
)

// TestKinds: 0 –0→ 1 –1→ 2. Relation 0 ends where 1 begins; 2 and 3 are the inverses of 0 and 1.
func TestKinds(t *testing.T) {
	n := newNet(mustBuild(t, 3, 2, []graph.Triple{{U: 0, R: 0, V: 1}, {U: 1, R: 1, V: 2}}), 2)
	heads := [][]int{{0}, {1, 2}, {3}} // relations that entities are heads of; tails of their inverses
	inverse := []int{2, 3, 0, 1}
	want := map[[3]int]bool{}
	for _, list := range heads {
		for _, a := range list {
			for _, b := range list {
				want[[3]int{a, b, headHead}] = true
				want[[3]int{inverse[a], inverse[b], tailTail}] = true
				want[[3]int{a, inverse[b], headTail}] = true
				want[[3]int{inverse[b], a, tailHead}] = true
			}
		}
	}
	got := n.joins()
	for i, to := range got[0] {
		if e := [3]int{int(to), int(got[1][i]), int(got[2][i])}; !want[e] {
			t.Errorf("an edge %v", e)
		}
	}
	if len(got[0]) != len(want) || !want[[3]int{0, 1, tailHead}] || want[[3]int{0, 1, headHead}] {
		t.Errorf("%d edges, want %d", len(got[0]), len(want))
	}
}

// TestSharedVectors: scores with vectors of relations that are computed once for each equal those of a program that
// computes them, whatever was asked before.
func TestSharedVectors(t *testing.T) {
	g := mustBuild(t, 25, 3, randomFacts(25, 3, 40, 3))
	m := newTrainer(t, graphVariant(), g).Model
	a, err := newScorer(m, g)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int32(40) { // more relations than are kept, some of them again
		q := query{head: i % 25, relation: i * 5 % 6}
		if err := a.run(q); err != nil {
			t.Fatal(err)
		}
		got := slices.Clone(a.byNode())
		for v, want := range newFused(t, m, g, q).byNode() {
			agree(t, "score", float64(got[v]), float64(want))
		}
	}
}

// TestPretrained: weights of one graph's model answer on a graph with fewer relations, of other names.
func TestPretrained(t *testing.T) {
	m := newTrainer(t, graphVariant(), mustBuild(t, 25, 3, randomFacts(25, 3, 40, 3))).Model
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model.safetensors")
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := Pretrained(file, Config{}, []string{"other"})
	if err != nil {
		t.Fatal(err)
	}
	if p.Hidden != m.Hidden || p.Layers != m.Layers || len(p.Params()) != len(m.Params()) {
		t.Errorf("%+v from %+v", p.Config, m.Config)
	}
	facts := randomFacts(12, 1, 20, 4)
	a, err := newScorer(p, mustBuild(t, 12, 1, facts))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.run(query{head: 3, relation: 1}); err != nil {
		t.Fatal(err)
	}
	for v, want := range (&naive{p, 12, withInverses(facts, 1)}).scores(valuesOf(p), 3, 1) {
		agree(t, "score", float64(a.byNode()[v]), want)
	}
}

func TestBadWeights(t *testing.T) {
	m, err := New(Config{Hidden: 4, Layers: 2}, []string{"r"})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	dir := testkit.Folder(t, map[string]string{"path.safetensors": b.String(), "short.safetensors": "abc",
		"text.pth": "abc"})
	for name, want := range map[string]string{"path.safetensors": "no weights of a model of relations",
		"short.safetensors": "too short", "text.pth": "not a file of torch.save", "absent.pth": "no such file",
		"absent.safetensors": "no such file"} {
		_, err := Pretrained(filepath.Join(dir, name), Config{}, []string{"r"})
		var bad *files.Error
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &bad) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// published returns a model with ULTRA's weights, or skips the test.
func published(t *testing.T, relations []string) *Model {
	t.Helper()
	file := filepath.Join(os.Getenv("BLOOM_DATA"), "weights", "ultra_3g.pth")
	if _, err := os.Stat(file); err != nil {
		t.Skip("BLOOM_DATA has no weights/ultra_3g.pth")
	}
	m, err := Pretrained(file, Config{}, relations)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPublishedScores: the scores of all entities of a tiny graph, by a program in NumPy that follows the published one
// in double precision and shares nothing with this.
func TestPublishedScores(t *testing.T) {
	m := published(t, []string{"a", "b"})
	g := mustBuild(t, 5, 2, []graph.Triple{{U: 0, R: 0, V: 1}, {U: 1, R: 1, V: 2}, {U: 2, R: 0, V: 3},
		{U: 0, R: 1, V: 3}, {U: 3, R: 1, V: 4}})
	a, err := newScorer(m, g)
	if err != nil {
		t.Fatal(err)
	}
	for q, want := range map[query][]float64{
		{head: 0, relation: 0}: {-1.95149328, 2.36477554, 1.38387266, 0.92128871, 0.14121712},
		{head: 3, relation: 3}: {0.20822737, 2.18731738, 0.43830554, -3.62178995, -0.28966458},
	} {
		if err := a.run(q); err != nil {
			t.Fatal(err)
		}
		for v, s := range a.byNode() {
			if math.Abs(float64(s)-want[v]) > 2e-4 { // twelve layers in single precision
				t.Errorf("%+v: entity %d scores %v, want %v", q, v, s, want[v])
			}
		}
	}
}

// TestPublishedRanks: the mean reciprocal rank that others report for these weights (LckyLke/sotaKGFMs, 2026), for the
// facts that they rank.
func TestPublishedRanks(t *testing.T) {
	m := published(t, nil)
	folder := filepath.Join(os.Getenv("BLOOM_DATA"), "grail", "WN18RR_v1")
	numbers, relations := map[string]int32{}, map[string]int32{}
	number := func(of map[string]int32, name string) int32 {
		if _, ok := of[name]; !ok {
			of[name] = int32(len(of))
		}
		return of[name]
	}
	read := func(folder, name string) (facts []graph.Triple) {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Skip("BLOOM_DATA has no grail/WN18RR_v1")
		}
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			facts = append(facts, graph.Triple{U: number(numbers, f[0]), R: number(relations, f[1]),
				V: number(numbers, f[2])})
		}
		return facts
	}
	facts := read(folder+"_ind", "train.txt")
	asked := slices.Concat(read(folder+"_ind", "valid.txt"), read(folder+"_ind", "test.txt"))
	for name := range relations {
		m.Names = append(m.Names, name)
	}
	d := &dataset.Dataset{Graph: mustBuild(t, len(numbers), len(relations), facts)}
	ranked, err := m.Evaluate(context.Background(), d, asked, metric.Candidates{Known: metric.NewKnown(facts, asked)})
	if err != nil {
		t.Fatal(err)
	}
	if got := metric.MRR(metric.Rankings(ranked), metric.Pessimistic); math.Abs(got-0.5929) > 5e-4 {
		t.Errorf("MRR %.4f, want 0.5929", got)
	}
}
