package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/internal/kernel"
)

var gap = float32(math.NaN())

// plantedTable is rows×columns of values of which few are distinct, with gaps.
func plantedTable(rng *rand.Rand, rows, columns, distinct int, gaps float64) [][]float32 {
	x := make([][]float32, rows)
	for i := range x {
		x[i] = make([]float32, columns)
		for j := range x[i] {
			if x[i][j] = float32(rng.IntN(distinct)) / 3; rng.Float64() < gaps {
				x[i][j] = gap
			}
		}
	}
	return x
}

func tableOf(x [][]float32) *Table {
	return NewTable(len(x), len(x[0]), func(to []float32, i int) { copy(to, x[i]) })
}

// naiveSplit is the gain of the best split of all rows, by trying every value of every column with gaps on either side.
func naiveSplit(x [][]float32, g, h []float32, o TreeOptions) float64 {
	score := func(g, h float64) float64 { return g * g / (h + o.L2) }
	best := 0.0
	for j := range x[0] {
		for _, cut := range x {
			for _, gaps := range []bool{false, true} {
				var gl, hl, gr, hr float64
				nl, nr := 0, 0
				for i := range x {
					if v := x[i][j]; v <= cut[j] || v != v && gaps {
						gl, hl, nl = gl+float64(g[i]), hl+float64(h[i]), nl+1
					} else {
						gr, hr, nr = gr+float64(g[i]), hr+float64(h[i]), nr+1
					}
				}
				if nl >= o.MinRows && nr >= o.MinRows {
					best = max(best, (score(gl, hl)+score(gr, hr)-score(gl+gr, hl+hr))/2)
				}
			}
		}
	}
	return best
}

func TestBestSplitIsTheNaiveOne(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		x := plantedTable(rng, 60, 4, 7, 0.2)
		g, h := make([]float32, len(x)), make([]float32, len(x))
		for i := range g {
			g[i], h[i] = float32(rng.NormFloat64()), float32(rng.Float64()+0.1)
		}
		o := TreeOptions{Leaves: 2, MinRows: 3, L2: 0.5}
		b := NewBooster(tableOf(x), 1, o)
		b.Round(0, g, h)
		l := b.grower.leaves
		score := func(c cell) float64 { return c.g * c.g / (c.h + o.L2) }
		all := l[0].sum
		got := 0.0
		if len(l) == 2 {
			all = cell{all.g + l[1].sum.g, all.h + l[1].sum.h, all.n + l[1].sum.n}
			got = (score(l[0].sum) + score(l[1].sum) - score(all)) / 2
		}
		if want := naiveSplit(x, g, h, o); math.Abs(got-want) > 1e-5*max(1, want) {
			t.Errorf("seed %d: gain %g, want %g", seed, got, want)
		}
	}
}

// squared boosts ½(score − y)².
func squared(b *Booster, y []float32, rounds int) (list []Tree) {
	g, h := make([]float32, len(y)), slices.Repeat([]float32{1}, len(y))
	for round := range rounds {
		for i, s := range b.Scores() {
			g[i] = s - y[i]
		}
		list = append(list, b.Round(round, g, h)...)
	}
	return list
}

func TestKnownTree(t *testing.T) {
	x := [][]float32{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {gap, 0}}
	y := []float32{0, 0, 10, 10, 10}
	b := NewBooster(tableOf(x), 1, TreeOptions{Leaves: 2, MinRows: 1, Rate: 1})
	list := squared(b, y, 1)
	if got := b.Scores(); !slices.Equal(got, y) {
		t.Errorf("scores %v, want %v", got, y)
	}
	n := list[0][0]
	if n.Column != 0 || n.Cut != 2.5 || n.Gaps || n.Value != 6 {
		t.Errorf("root %+v, want column 0 at 2.5, gaps to the right, mean 6", n)
	}
	for row, want := range map[float32]float32{-5: 0, 2.5: 0, 2.6: 10, 1e30: 10} {
		if got := list[0].Predict([]float32{row, 7}); got != want {
			t.Errorf("%g: %g, want %g", row, got, want)
		}
	}
}

func TestXor(t *testing.T) {
	var x [][]float32
	var y []float32
	for i := range 400 {
		a, b := float32(i%2), float32(i/2%2)
		x, y = append(x, []float32{a, b + float32(i%7)/100}), append(y, a+b-2*a*b)
	}
	b := NewBooster(tableOf(x), 1, TreeOptions{MinRows: 5, Rate: 0.5})
	squared(b, y, 30)
	for i, s := range b.Scores() {
		if math.Abs(float64(s-y[i])) > 0.05 {
			t.Fatalf("row %d: %g, want %g", i, s, y[i])
		}
	}
}

// TestPredictIsScores: values walk down the trees as bins do, packed and unpacked, and contributions add up.
func TestPredictIsScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	x := plantedTable(rng, 3000, 6, 900, 0.1)
	y := make([]float32, len(x))
	for i := range y {
		if y[i] = float32(rng.NormFloat64()); x[i][0] == x[i][0] {
			y[i] += x[i][0] / 50 * x[i][1]
		}
		if y[i] != y[i] {
			y[i] = 3
		}
	}
	b := NewBooster(tableOf(x), 1, TreeOptions{Columns: 0.7, Sample: 0.8, Seed: 5})
	list := squared(b, y, 20)
	room := make([]float32, NodeWidth*b.Nodes())
	for i, row := range x[:500] {
		var sum, parts float64
		by := make([]float64, 6)
		for k, tree := range list {
			if i == 0 {
				clear(room)
				tree.Pack(room)
				got, ok := Unpack(room, 6)
				if !ok || !slices.Equal(got, tree) {
					t.Fatalf("tree %d: unpacked as %v", k, got)
				}
			}
			sum += float64(tree.Predict(row))
			parts += tree.Contributions(row, by)
		}
		for _, p := range by {
			parts += p
		}
		if got := float64(b.Scores()[i]); math.Abs(got-sum) > 1e-5*max(1, got) || math.Abs(got-parts) > 1e-5*max(1,
			got) {
			t.Fatalf("row %d: score %g, predicted %g, contributions %g", i, got, sum, parts)
		}
	}
}

func TestSameBitsForAnyThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	x := plantedTable(rng, 20000, 9, 5000, 0.05)
	y := make([]float32, len(x))
	for i := range y {
		y[i] = float32(rng.NormFloat64())
	}
	defer kernel.SetThreads(kernel.Threads())
	var want []float32
	for _, threads := range []int{1, 2, 5} {
		kernel.SetThreads(threads)
		b := NewBooster(tableOf(x), 1, TreeOptions{})
		squared(b, y, 5)
		if want == nil {
			want = b.Scores()
		}
		if !slices.Equal(b.Scores(), want) {
			t.Errorf("%d threads: other bits", threads)
		}
	}
}

// TestNothingToSplit: constant columns, gaps alone and a row are answered by the mean.
func TestNothingToSplit(t *testing.T) {
	for _, x := range [][][]float32{{{1}, {1}, {1}}, {{gap}, {gap}, {gap}}, {{2}}} {
		y := slices.Repeat([]float32{4}, len(x))
		b := NewBooster(tableOf(x), 1, TreeOptions{MinRows: 1, Rate: 1})
		squared(b, y, 2)
		if !slices.Equal(b.Scores(), y) {
			t.Errorf("%v: scores %v, want %v", x, b.Scores(), y)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte{0, 0, 128, 63, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, text []byte) {
		rows := make([]float32, len(text)/4)
		for i := range rows {
			rows[i] = math.Float32frombits(uint32(text[4*i]) | uint32(text[4*i+1])<<8 | uint32(text[4*i+2])<<16 |
				uint32(text[4*i+3])<<24)
		}
		if tree, ok := Unpack(rows, 3); ok {
			tree.Predict([]float32{gap, 0, 1})
		}
	})
}

func BenchmarkRound(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := make([]float32, 100000*50)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	t := NewTable(100000, 50, func(to []float32, i int) { copy(to, x[i*50:]) })
	y := make([]float32, t.Rows)
	for i := range y {
		y[i] = x[i*50]*x[i*50+1] + x[i*50+2]
	}
	for b.Loop() {
		squared(NewBooster(t, 1, TreeOptions{}), y, 10)
	}
}

// TestMirror: where the derivatives of two outputs are opposite, one tree and its opposite are what two fits find.
func TestMirror(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 3))
		x := plantedTable(rng, 200, 5, 9, 0.1)
		g, h := make([]float32, 2*len(x)), make([]float32, 2*len(x))
		for i := range x {
			d := float32(rng.NormFloat64())
			g[2*i], g[2*i+1], h[2*i], h[2*i+1] = d, -d, 1, 1
		}
		o := TreeOptions{Sample: 0.7}
		two, one := NewBooster(tableOf(x), 2, o), NewBooster(tableOf(x), 2, o)
		one.Mirror = true
		for round := range 3 {
			want, got := two.Round(round, g, h), one.Round(round, g, h)
			if !slices.Equal(got[0], want[0]) || !slices.Equal(got[1], want[1]) {
				t.Fatalf("seed %d round %d: %v, want %v", seed, round, got, want)
			}
		}
		if !slices.Equal(one.Scores(), two.Scores()) {
			t.Errorf("seed %d: scores differ", seed)
		}
	}
}

// TestCuts: columns that are mostly 0 are told apart where they are not, no bin has both signs, and there are no more
// bins than a byte can number.
func TestCuts(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		values := make([]float32, 20_000)
		for i := range values {
			if rng.IntN(10) == 0 {
				values[i] = float32(rng.NormFloat64())
			} else if seed%2 == 1 {
				values[i] = float32(rng.IntN(int(seed))) - 3
			}
		}
		slices.Sort(values)
		cuts := cutsOf(values)
		if len(cuts) >= maxBins || len(cuts) < 150 || !slices.IsSorted(cuts) {
			t.Fatalf("seed %d: %d cuts", seed, len(cuts))
		}
		if binOf(cuts, -1e-3) == binOf(cuts, 1e-3) || len(slices.Compact(slices.Clone(cuts))) != len(cuts) {
			t.Errorf("seed %d: cuts %v", seed, cuts)
		}
	}
}
