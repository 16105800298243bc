package generate

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/audit"
)

// generated is the data set of a ref.
func generated(t *testing.T, ref string) *dataset.Dataset {
	t.Helper()
	d, ok, err := Make(ref)
	if err != nil || !ok {
		t.Fatalf("%s: ok %v, %v", ref, ok, err)
	}
	return d
}

func TestGenerateErrors(t *testing.T) {
	for ref, want := range map[string]string{
		"minesweeper:siez=3":        `minesweeper: no key "siez"; did you mean "size"?`,
		"minesweeper:colour=3":      `minesweeper: no key "colour"; there are size, mines, hidden, seed`,
		"minesweeper:size":          `minesweeper: "size" is not key=value`,
		"minesweeper:size=ten":      "minesweeper: size=ten is not a number",
		"minesweeper:size=2.5":      "minesweeper: size=2.5 is not a whole number",
		"minesweeper:size=1":        "minesweeper: size=1 is not between 2 and 2000",
		"minesweeper:mines=NaN":     "minesweeper: mines=NaN is not between 0 and 1",
		"minesweeper:size=5,size=6": `minesweeper: the key "size" is given twice`,
		"karate:seed=-1":            "karate: seed=-1 is not between 0 and 9.007199254740992e+15",
		"csbm:nodes=10,classes=9":   "csbm:nodes=10,classes=9: 10 nodes are too few for 9 classes of at least 2",
		"csbm:nodes=20,degree=19":   "lower the degree",
		"family:generations=2":      "family: generations=2 is not between 3 and 5",
	} {
		d, ok, err := Make(ref)
		if d != nil || !ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, ok %v, error %v, want %s", ref, d, ok, err, want)
		}
	}
	for _, ref := range []string{"cora", "", "mine", ":size=3"} {
		if d, ok, err := Make(ref); d != nil || ok || err != nil {
			t.Errorf("%q: %v, ok %v, error %v", ref, d, ok, err)
		}
	}
}

// TestGenerateRepeats makes every generator twice, and once with another seed.
func TestGenerateRepeats(t *testing.T) {
	for _, g := range All() {
		small := map[string]string{"minesweeper": "size=10,", "csbm": "nodes=50,corrupt=0.2,"}[g.Name]
		a, b := generated(t, g.Name+":"+small+"seed=3"), generated(t, g.Name+":"+small+"seed=3")
		c := generated(t, g.Name+":"+small+"seed=4")
		for d := range 2 {
			if d == 1 && a.Twin == nil {
				break
			} else if d == 1 {
				a, b, c = a.Twin, b.Twin, c.Twin
			}
			if !reflect.DeepEqual(a.Graph.Triples(), b.Graph.Triples()) || !reflect.DeepEqual(a.Features, b.Features) ||
				!reflect.DeepEqual(a.Splits, b.Splits) || !reflect.DeepEqual(a.Test, b.Test) ||
				!reflect.DeepEqual(a.Corrupted, b.Corrupted) {
				t.Errorf("%s: the same seed gave two data sets", g.Name)
			}
			if reflect.DeepEqual(a.Splits, c.Splits) && reflect.DeepEqual(a.Test, c.Test) {
				t.Errorf("%s: two seeds gave the same data set", g.Name)
			}
		}
	}
}

// TestGeneratedAreSound looks at every set as a model would, and wants no warning about any.
func TestGeneratedAreSound(t *testing.T) {
	for _, g := range All() {
		d := generated(t, g.Name)
		for _, d := range []*dataset.Dataset{d, d.Twin} {
			if d == nil {
				continue
			}
			about := audit.Describe(d)
			if len(about.Warnings) > 0 {
				t.Errorf("%s: %v", g.Name, about.Warnings)
			}
			if err := native.Write(filepath.Join(t.TempDir(), "d.bloom"), d); err != nil {
				t.Errorf("%s: %v", g.Name, err)
			}
			n := d.Graph.NumNodes()
			for v := range int32(n) {
				if found := d.IDs.Find(d.IDs.At(v), n); !slices.Equal(found, []int32{v}) {
					t.Fatalf("%s: node %d is called %q, as are %v", g.Name, v, d.IDs.At(v), found)
				}
			}
			for _, s := range about.Splits {
				if s.Train == 0 || s.Valid == 0 || s.Test == 0 || !d.IsLinks() && s.Train+s.Valid+s.Test != n {
					t.Errorf("%s: a split of %v", g.Name, s)
				}
			}
		}
	}
}

// The figures of the published minesweeper file, counted from it.
var (
	publishedColumns = []float64{5000, 858, 1726, 1442, 677, 232, 65}
	publishedDegrees = map[int]int{8: 9604, 5: 392, 3: 4}
)

// TestMinesweeper compares with the published figures.
func TestMinesweeper(t *testing.T) {
	d := generated(t, "minesweeper")
	about := audit.Describe(d)
	if about.Nodes != 10000 || about.Edges != 39402 || about.Features != 7 || about.Components != 1 {
		t.Errorf("%+v", about)
	}
	if about.ClassSizes[0].Nodes != 8000 || about.ClassSizes[1].Nodes != 2000 || d.Metric != "roc_auc" {
		t.Errorf("classes %v", about.ClassSizes)
	}
	if len(about.Splits) != 10 || about.Splits[9] != (audit.SplitSizes{Train: 5000, Valid: 2500, Test: 2500}) {
		t.Errorf("splits %v", about.Splits)
	}
	degrees := map[int]int{}
	for v := range 10000 {
		degrees[len(around(d.Graph, v))]++
	}
	if !reflect.DeepEqual(degrees, publishedDegrees) {
		t.Errorf("degrees %v", degrees)
	}
	sameColumns(t, columnSums(d.Features[0]), publishedColumns)
	// Of 39402 random edges the adjusted homophily deviates by 1/√(2·39402) = 0.004.
	if h := about.Homophily; math.Abs(h.Adjusted) > 0.016 || h.Informativeness > 0.001 {
		t.Errorf("%+v", h)
	}
	if d.IDs.At(1207) != "r12c7" {
		t.Errorf("cell 1207 is called %s", d.IDs.At(1207))
	}
}

// sameColumns wants counts of 10000 cells to be equal up to five deviations of the difference of
// two binomial counts.
func sameColumns(t *testing.T, got, want []float64) {
	t.Helper()
	for j := range want {
		p := want[j] / 10000
		if math.Abs(got[j]-want[j]) > 5*math.Sqrt(2*10000*p*(1-p)) {
			t.Errorf("column %d holds %v ones, the file %v", j, got[j], want[j])
		}
	}
	if got[0] != want[0] {
		t.Errorf("%v cells are hidden, in the file %v", got[0], want[0])
	}
}

func columnSums(x dataset.Matrix) []float64 {
	sums := make([]float64, x.Cols)
	for i, v := range x.Values {
		sums[i%x.Cols] += float64(v)
	}
	return sums
}

// TestMinesweeperNumbers counts mines on the grid, by coordinates.
func TestMinesweeperNumbers(t *testing.T) {
	const size = 20
	d := generated(t, "minesweeper:size=20,mines=0.5,hidden=0.25,seed=9")
	x, class := d.Features[0], d.Labels.Class
	row := make([]float64, 7)
	hidden := 0
	for v := range size * size {
		for j := range row {
			row[j] = float64(x.Values[v*7+j])
		}
		mines := 0
		for u := range size * size {
			dr, dc := u/size-v/size, u%size-v%size
			if u != v && dr*dr <= 1 && dc*dc <= 1 {
				mines += int(class[u])
			}
		}
		want := make([]float64, 7)
		want[min(1+mines, 6)] = 1
		if row[0] == 1 {
			want = []float64{1, 0, 0, 0, 0, 0, 0}
			hidden++
		}
		if !slices.Equal(row, want) {
			t.Fatalf("cell %s with %d mines around: %v", d.IDs.At(int32(v)), mines, row)
		}
	}
	if hidden != 100 {
		t.Errorf("%d cells are hidden", hidden)
	}
}

// TestKarate holds the club to figures of the literature: degrees of the leaders, 45 triangles.
func TestKarate(t *testing.T) {
	d := generated(t, "karate")
	about := audit.Describe(d)
	if about.Nodes != 34 || about.Edges != 78 || about.Components != 1 || about.ClassSizes[0].Nodes != 17 ||
		about.Repeats != 0 {
		t.Errorf("%+v", about)
	}
	triangles := 0
	for v := range 34 {
		near := around(d.Graph, v)
		for _, u := range near {
			for _, w := range around(d.Graph, int(u)) {
				if slices.Contains(near, w) {
					triangles++
				}
			}
		}
	}
	if triangles != 6*45 {
		t.Errorf("%d triangles", triangles/6)
	}
	for member, degree := range map[string]int{"1": 16, "34": 17, "33": 12, "12": 1} {
		v := d.IDs.Find(member, 34)[0]
		if n := len(around(d.Graph, int(v))); n != degree {
			t.Errorf("member %s has %d ties", member, n)
		}
	}
	if !slices.Equal(d.Splits[0].Train, []int32{0, 33}) || slices.Equal(d.Splits[1].Train, d.Splits[2].Train) {
		t.Errorf("splits %v", d.Splits[:3])
	}
}

// TestCSBM turns its knobs.
func TestCSBM(t *testing.T) {
	d := generated(t, "csbm:nodes=600,classes=3,degree=8,homophily=0.25,features=5,seed=2")
	about := audit.Describe(d)
	if about.Edges != 2400 || about.Repeats != 0 || about.Loops != 0 || about.Features != 5 || about.Degrees.Mean != 8 {
		t.Errorf("%+v", about)
	}
	if about.Homophily.Edge != 0.25 || about.ClassSizes[2].Nodes != 200 ||
		about.Splits[0] != (audit.SplitSizes{Train: 120, Valid: 120, Test: 360}) {
		t.Errorf("%+v, %v, %v", about.Homophily, about.ClassSizes, about.Splits[0])
	}
	// Means of length 3 without noise are all there is.
	d = generated(t, "csbm:nodes=100,signal=3,noise=0")
	rows := map[[2]float64]bool{}
	for v := range 100 {
		square := 0.0
		for _, x := range d.Features[0].Values[v*16 : (v+1)*16] {
			square += float64(x) * float64(x)
		}
		if math.Abs(square-9) > 1e-5 { // the rounding of 16 float32
			t.Fatalf("a row of length² %v", square)
		}
		rows[[2]float64{float64(d.Labels.Class[v]), float64(d.Features[0].Values[v*16])}] = true
	}
	if len(rows) != 2 {
		t.Errorf("classes and first features %v", rows)
	}
	// Noise of deviation 2 alone: 16000 numbers, whose mean square deviates by 4·√(2/16000).
	d = generated(t, "csbm:signal=0,noise=2")
	square := 0.0
	for _, x := range d.Features[0].Values {
		square += float64(x) * float64(x) / 16000
	}
	if math.Abs(square-4) > 5*4*math.Sqrt(2.0/16000) {
		t.Errorf("mean square %v of noise 2", square)
	}
	if d = generated(t, "csbm:nodes=101,corrupt=0.2"); len(d.Corrupted) != 20 || audit.Describe(d).Corrupted != 20 {
		t.Errorf("corrupted %v", d.Corrupted)
	}
}

// TestGenerateGolden pins the random numbers: a ref in somebody's paper must mean the same set on
// another machine and next year.
func TestGenerateGolden(t *testing.T) {
	var mines []int32
	for v, c := range generated(t, "minesweeper:size=8,seed=1").Labels.Class {
		if c == 1 {
			mines = append(mines, int32(v))
		}
	}
	if want := []int32{6, 7, 15, 16, 18, 19, 32, 34, 39, 45, 50, 51, 60}; !slices.Equal(mines, want) {
		t.Errorf("mines %v, want %v", mines, want)
	}
	d := generated(t, "family:seed=1")
	f := d.Twin.Test[0]
	fact := []string{d.Twin.IDs.At(f.U), d.Relations[f.R], d.Twin.IDs.At(f.V)}
	if want := []string{"Ivan Brewer", "sibling_of", "Wim Brewer"}; !slices.Equal(fact, want) {
		t.Errorf("fact %q, want %q", fact, want)
	}
	if bare := generated(t, "csbm:nodes=20,degree=2,features=0"); bare.Features != nil || bare.Graph.NumEdges() != 20 {
		t.Errorf("features %v, %d edges", bare.Features, bare.Graph.NumEdges())
	}
	d = generated(t, "csbm:nodes=20,degree=2,features=2,corrupt=0.2,seed=1")
	if want := []int32{2, 4, 5, 6}; !slices.Equal(d.Corrupted, want) {
		t.Errorf("corrupted %v, want %v", d.Corrupted, want)
	}
	// Up to rounding: the logarithms inside of a normal number differ between machines.
	if x := float64(d.Features[0].Values[0]); math.Abs(x-0.372233) > 1e-5 {
		t.Errorf("the first feature is %v", x)
	}
}

// FuzzGenerate reads refs; only small sets are made.
func FuzzGenerate(f *testing.F) {
	for _, ref := range []string{"size=3,seed=1", "mines=NaN", "size=1e400", "=", ",", "seed=9007199254740993",
		"hidden=0x1p-2"} {
		f.Add(ref)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		v, err := minesweeper.parse(spec)
		if err != nil {
			return
		}
		if v["size"] > 20 {
			v["size"] = 20
		}
		d, err := minesweeper.make(v)
		if err != nil {
			t.Fatalf("%q: %v", spec, err)
		}
		if err := native.Write(filepath.Join(t.TempDir(), "d.bloom"), d); err != nil {
			t.Fatalf("%q: %v", spec, err)
		}
	})
}

func BenchmarkGenerate(b *testing.B) {
	for _, ref := range []string{"minesweeper", "csbm", "karate", "family"} {
		b.Run(ref, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := Make(ref); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDescribe has nodes, edges and features as in the shape of arxiv, but an eighth of the
// columns.
func BenchmarkDescribe(b *testing.B) {
	d, _, err := Make("csbm:nodes=169343,degree=13.67,classes=40")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		audit.Describe(d)
	}
}

// around are the distinct other nodes that share an edge with v in an undirected graph, ascending.
func around(g *graph.Graph, v int) []int32 {
	row, _ := g.Adjacency().Row(v)
	nodes := slices.Sorted(slices.Values(row))
	return slices.DeleteFunc(slices.Compact(nodes), func(u int32) bool { return int(u) == v })
}
