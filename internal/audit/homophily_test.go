package audit

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/generate"
)

// nodeSet is a data set of named classes on an undirected graph.
func nodeSet(t *testing.T, class []int32, classes int, edges ...[2]int32) *dataset.Dataset {
	t.Helper()
	var triples []graph.Triple
	for _, e := range edges {
		triples = append(triples, graph.Triple{U: e[0], V: e[1]})
	}
	g, err := graph.Build(graph.Spec{Nodes: len(class), Triples: triples, Undirected: true})
	if err != nil {
		t.Fatal(err)
	}
	return &dataset.Dataset{Graph: g, Labels: dataset.Labels{Class: class, Names: make([]string, classes)}}
}

// near allows for the rounding of a few dozen additions.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// TestHomophilyByHand has graphs whose figures can be worked out on paper.
func TestHomophilyByHand(t *testing.T) {
	cases := []struct {
		name                string
		d                   *dataset.Dataset
		edge, adjusted, inf float64
	}{
		{"two cliques of one class each", nodeSet(t, []int32{0, 0, 1, 1}, 2, [2]int32{0, 1}, [2]int32{2, 3}), 1, 1, 1},
		// p̄ = ½, ½: the baseline is ½, and neighbours tell everything.
		{"a bipartite square", nodeSet(t, []int32{0, 1, 0, 1}, 2, [2]int32{0, 1}, [2]int32{1, 2}, [2]int32{2, 3},
			[2]int32{3, 0}), 0, -1, 1},
		// Ends: 0-0 twice, 0-1 once each way, 1-1 none: p̄ = ¾, ¼; h_adj = (½ − ⅝)/(1 − ⅝) = −⅓,
		// LI = 2 − (½ log ½ + 2·¼ log ¼)/(¾ log ¾ + ¼ log ¼).
		{"a path", nodeSet(t, []int32{0, 0, 1}, 2, [2]int32{0, 1}, [2]int32{1, 2}), 0.5, -1.0 / 3,
			2 - 1.5*math.Log(2)/(2*math.Log(2)-0.75*math.Log(3))},
		{"repeats and self loops do not count", nodeSet(t, []int32{0, 0, 1}, 2, [2]int32{0, 1}, [2]int32{1, 0},
			[2]int32{2, 2}, [2]int32{1, 2}), 0.5, -1.0 / 3,
			2 - 1.5*math.Log(2)/(2*math.Log(2)-0.75*math.Log(3))},
		{"an unlabelled end does not count", nodeSet(t, []int32{0, 0, 1, -1}, 2, [2]int32{0, 1}, [2]int32{1, 2},
			[2]int32{2, 3}), 0.5, -1.0 / 3,
			2 - 1.5*math.Log(2)/(2*math.Log(2)-0.75*math.Log(3))},
		{"one class", nodeSet(t, []int32{0, 0}, 1, [2]int32{0, 1}), 1, 0, 0},
	}
	for _, c := range cases {
		h := Describe(c.d).Homophily
		if h == nil || !near(h.Edge, c.edge) || !near(h.Adjusted, c.adjusted) || !near(h.Informativeness, c.inf) {
			t.Errorf("%s: %+v, want %v, %v, %v", c.name, h, c.edge, c.adjusted, c.inf)
		}
	}
	if h := Describe(nodeSet(t, []int32{0, -1}, 1, [2]int32{0, 1})).Homophily; h != nil {
		t.Errorf("no labelled edge: %+v", h)
	}
}

// TestHomophilyOracle compares with the definitions, written with degrees and pairs of nodes.
func TestHomophilyOracle(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		n, k := 3+rng.IntN(20), 2+rng.IntN(3)
		class := make([]int32, n)
		for v := range class {
			class[v] = int32(rng.IntN(k))
		}
		adjacent := make([][]bool, n)
		for v := range adjacent {
			adjacent[v] = make([]bool, n)
		}
		edges := [][2]int32{{0, 1}}
		adjacent[0][1], adjacent[1][0] = true, true
		for range 2 * n {
			u, v := int32(rng.IntN(n)), int32(rng.IntN(n))
			edges = append(edges, [2]int32{u, v})
			if u != v {
				adjacent[u][v], adjacent[v][u] = true, true
			}
		}
		got := Describe(nodeSet(t, class, k, edges...))
		edge, adjusted, inf := naiveHomophily(adjacent, class, k)
		if h := got.Homophily; !near(h.Edge, edge) || !near(h.Adjusted, adjusted) || !near(h.Informativeness, inf) {
			t.Errorf("seed %d: %+v, want %v, %v, %v", seed, h, edge, adjusted, inf)
		}
		if got.Edges != got.Homophily.Edges {
			t.Errorf("seed %d: %d edges, of which %d labelled", seed, got.Edges, got.Homophily.Edges)
		}
	}
}

func naiveHomophily(adjacent [][]bool, class []int32, k int) (edge, adjusted, inf float64) {
	degree := make([]float64, k)
	joint := make([]float64, k*k)
	m2 := 0.0
	for u := range adjacent {
		for v := range adjacent {
			if adjacent[u][v] {
				m2++
				degree[class[u]]++
				joint[int(class[u])*k+int(class[v])]++
				if class[u] == class[v] {
					edge++
				}
			}
		}
	}
	edge /= m2
	var square, own, both float64
	for _, d := range degree {
		square += d * d / (m2 * m2)
		if d > 0 {
			own += d / m2 * math.Log(d/m2)
		}
	}
	for _, j := range joint {
		if j > 0 {
			both += j / m2 * math.Log(j/m2)
		}
	}
	if own == 0 {
		return edge, 0, 0
	}
	return edge, (edge - square) / (1 - square), 2 - both/own
}

// TestDegrees holds the quantiles and bins of a star with an isolated node to what they are.
func TestDegrees(t *testing.T) {
	edges := [][2]int32{{0, 0}, {0, 1}, {1, 0}}
	for v := int32(1); v < 9; v++ {
		edges = append(edges, [2]int32{0, v})
	}
	d := Describe(nodeSet(t, make([]int32, 10), 1, edges...))
	want := []degreeBin{{0, 1, 1}, {1, 2, 8}, {2, 4, 0}, {4, 8, 0}, {8, 16, 1}}
	if g := d.Degrees; g.Min != 0 || g.Median != 1 || g.P90 != 1 || g.Max != 8 || g.Mean != 1.6 ||
		!slices.Equal(g.Histogram, want) {
		t.Errorf("%+v", g)
	}
	if d.Edges != 8 || d.Isolated != 1 || d.Components != 2 || d.Loops != 1 || d.Repeats != 2 {
		t.Errorf("%+v", d)
	}
}

// TestDescriptionKeys holds the keys that other programs rely on.
func TestDescriptionKeys(t *testing.T) {
	d, _, err := generate.Make("karate")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(Describe(d))
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"name", "nodes", "edges", "features", "classes", "relations", "splits",
		"degrees", "labels"} {
		if _, ok := keys[key]; !ok {
			t.Errorf("no key %q in %s", key, text)
		}
	}
	split := keys["splits"].([]any)[0].(map[string]any)
	if keys["nodes"] != 34.0 || keys["edges"] != 78.0 || split["train"] != 2.0 || split["valid"] != 8.0 ||
		split["test"] != 24.0 {
		t.Errorf("%s", text)
	}
}

// TestDescribeEmpty has nothing to describe.
func TestDescribeEmpty(t *testing.T) {
	g, err := graph.Build(graph.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(Describe(&dataset.Dataset{Graph: g})); err != nil {
		t.Error(err)
	}
}
