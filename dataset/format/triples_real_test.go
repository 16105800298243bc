package format

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/testkit"
)

// factCounts are the columns by which the published tables describe a knowledge graph.
type factCounts struct{ entities, relations, train, valid, test int }

// countFacts counts the relations that occur, which in a twin are fewer than have a number.
func countFacts(d *dataset.Dataset) factCounts {
	relations := map[int32]bool{}
	for _, t := range slices.Concat(d.Graph.Triples(), d.Valid, d.Test) {
		relations[t.R] = true
	}
	return factCounts{d.Graph.NumNodes(), len(relations), d.Graph.NumEdges(), len(d.Valid), len(d.Test)}
}

func TestKnowledgeGraphs(t *testing.T) {
	for _, c := range []struct {
		name        string
		want        factCounts
		valid, test int // triples with an entity that is not in train
	}{
		{"WN18RR", factCounts{40943, 11, 86835, 3034, 3134}, 210, 210},
		{"FB15k-237", factCounts{14541, 237, 272115, 17535, 20466}, 9, 28},
		{"umls", factCounts{135, 46, 5216, 652, 661}, 0, 0},
		{"kinship", factCounts{104, 25, 8544, 1068, 1074}, 0, 0},
		{"nations", factCounts{14, 55, 1592, 199, 201}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openBenchmark(t, "kg/"+c.name)
			if got := countFacts(d); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			var notes []string
			for _, x := range []struct {
				split    string
				n, total int
			}{{"valid", c.valid, c.want.valid}, {"test", c.test, c.want.test}} {
				if x.n > 0 {
					notes = append(notes, fmt.Sprintf("%d of %d %s triples have an entity that is in no training "+
						"triple.", x.n, x.total, x.split))
				}
			}
			if !slices.Equal(d.Notes, notes) {
				t.Errorf("notes %q, want %q", d.Notes, notes)
			}
			if d.Metric != "mrr" || d.Twin != nil || len(d.Relations) != c.want.relations {
				t.Errorf("metric %q, twin %v, %d names of relations", d.Metric, d.Twin, len(d.Relations))
			}
		})
	}
}

// TestLeadingZeros looks up the first word of WN18RR, which a reader of numbers would shorten.
func TestLeadingZeros(t *testing.T) {
	d := openBenchmark(t, "kg/WN18RR")
	if got := d.IDs.At(0); got != "00260881" {
		t.Errorf("the first entity is %q, want 00260881", got)
	}
	if got := d.IDs.Find("00260881", d.Graph.NumNodes()); !slices.Equal(got, []int32{0}) {
		t.Errorf("00260881 is node %v, want 0", got)
	}
}

func TestInductiveGraphs(t *testing.T) {
	for _, c := range []struct {
		name        string
		graph, twin factCounts
	}{
		{"WN18RR_v1", factCounts{2746, 9, 5410, 630, 638}, factCounts{922, 8, 1618, 185, 188}},
		{"WN18RR_v2", factCounts{6954, 10, 15262, 1838, 1868}, factCounts{2757, 10, 4011, 411, 441}},
		{"WN18RR_v3", factCounts{12078, 11, 25901, 3097, 3152}, factCounts{5084, 11, 6327, 538, 605}},
		{"WN18RR_v4", factCounts{3861, 9, 7940, 934, 968}, factCounts{7084, 9, 12334, 1394, 1429}},
		{"fb237_v1", factCounts{1594, 180, 4245, 489, 492}, factCounts{1093, 142, 1993, 206, 205}},
		{"fb237_v2", factCounts{2608, 200, 9739, 1166, 1180}, factCounts{1660, 172, 4145, 469, 478}},
		{"fb237_v3", factCounts{3668, 215, 17986, 2194, 2214}, factCounts{2501, 183, 7406, 866, 865}},
		{"fb237_v4", factCounts{4707, 219, 27203, 3352, 3361}, factCounts{3051, 200, 11714, 1416, 1424}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openBenchmark(t, "grail/"+c.name)
			if got := countFacts(d); got != c.graph {
				t.Errorf("graph %+v, want %+v", got, c.graph)
			}
			if got := countFacts(d.Twin); got != c.twin {
				t.Errorf("twin %+v, want %+v", got, c.twin)
			}
			if d.Graph.NumRelations() != c.graph.relations || d.Twin.Graph.NumRelations() != c.graph.relations {
				t.Errorf("relations are not shared: %d and %d", d.Graph.NumRelations(), d.Twin.Graph.NumRelations())
			}
			var notes []string
			if c.name == "WN18RR_v3" {
				notes = []string{"8 entities of the inductive twin are in the training graph too."}
			}
			if !slices.Equal(d.Notes, notes) || d.Twin.Notes != nil {
				t.Errorf("notes %q and %q, want %q", d.Notes, d.Twin.Notes, notes)
			}
		})
	}
}

// BenchmarkFB15k237 opens the whole folder: 310,116 triples in 24 MB of text.
func BenchmarkFB15k237(b *testing.B) {
	path := testkit.Benchmark(b, "kg/FB15k-237")
	var facts []graph.Triple
	for b.Loop() {
		d, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		facts = d.Test
	}
	b.ReportMetric(float64(len(facts)), "test-triples")
}
