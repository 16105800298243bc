package live

import (
	"errors"
	"flag"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

var seedOfPrints = maphash.MakeSeed()

// print is everything that is kept, to the last bit.
func (s *State) print() uint64 {
	text := fmt.Sprint(s.sums, s.p, s.layers, s.z, s.slack)
	for _, l := range s.of {
		text += fmt.Sprint(l.near, l.weight, l.degree, l.about, l.size)
	}
	return maphash.String(seedOfPrints, text)
}

// wild is a number of any size from 1e-30 to 1e30 that no float32 is.
func wild(rng *rand.Rand) float64 { return math.Pow(10, 60*rng.Float64()-30) }

func (w *world) clone() *world {
	return &world{w.form, slices.Clone(w.p), maps.Clone(w.w)}
}

// wildEdit does the same to both.
func (w *world) wildEdit(t *testing.T, s *State, rng *rand.Rand) {
	t.Helper()
	n := int32(len(w.p))
	u, v := rng.Int32N(n), rng.Int32N(n)
	key := [2]int32{min(u, v), max(u, v)}
	row, same := make([]mat.Real, cols), make([]float64, cols)
	for j := range row {
		row[j] = mat.Real(wild(rng)) * mat.Real(1-2*rng.IntN(2))
		same[j] = float64(row[j])
	}
	var err error
	switch k := rng.IntN(10); {
	case k == 0:
		s.Move(u, row)
		w.p[u] = same
	case k == 1 && n < 24:
		s.Add(row)
		w.p = append(w.p, same)
	case u != v && w.w[key] != 0:
		delete(w.w, key)
		err = s.Separate(u, v)
	case u != v:
		x := wild(rng)
		w.w[key] = float64(mat.Real(x))
		err = s.Connect(u, v, x)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// exact is the minimiser of a quadratic energy, by elimination with 400 bits.
func (w *world) exact() [][]float64 {
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
	n := len(w.p)
	degree, b := make([]*big.Float, n), make([][]*big.Float, n)
	for v := range b {
		degree[v] = num(0)
	}
	for e, a := range w.w {
		for _, v := range e {
			degree[v].Add(degree[v], num(a))
		}
	}
	for v := range b {
		b[v] = make([]*big.Float, n+cols)
		for u := range n {
			b[v][u] = num(0)
		}
		for j, p := range w.p[v] {
			b[v][n+j] = num(0).Mul(num(w.form.Weight), num(p))
		}
		b[v][v].Mul(num(w.form.Lambda), degree[v])
		if w.form.Norm != graph.None && degree[v].Sign() > 0 {
			b[v][v] = num(w.form.Lambda)
		}
		b[v][v].Add(b[v][v], num(w.form.Weight))
	}
	for e, a := range w.w {
		x := num(0).Mul(num(-w.form.Lambda), num(a))
		if w.form.Norm != graph.None {
			x.Quo(x, num(0).Sqrt(num(0).Mul(degree[e[0]], degree[e[1]])))
		}
		b[e[0]][e[1]], b[e[1]][e[0]] = x, x
	}
	t := num(0)
	for k := range n {
		for v := range n {
			if v == k || b[v][k].Sign() == 0 {
				continue
			}
			by := num(0).Quo(b[v][k], b[k][k])
			for j := k; j < n+cols; j++ {
				if b[k][j].Sign() != 0 {
					b[v][j] = num(0).Sub(b[v][j], t.Mul(by, b[k][j]))
				}
			}
		}
	}
	h := make([][]float64, n)
	for v := range h {
		for j := range cols {
			x, _ := t.Quo(b[v][n+j], b[v][v]).Float64()
			h[v] = append(h[v], x)
		}
	}
	return h
}

// within wants all rows within their bounds of the exact minimiser, and Widest no less than any of them. It returns the
// largest ratio of an error to its bound.
func (w *world) within(t *testing.T, s *State) (worst float64) {
	t.Helper()
	for v, want := range w.exact() {
		var far float64
		for j, x := range s.Row(int32(v)) {
			far += (float64(x) - want[j]) * (float64(x) - want[j])
		}
		bound := s.Bound(int32(v))
		if math.Sqrt(far) > bound || bound > s.Widest() {
			t.Fatalf("node %d is %g away, bound %g, widest %g", v, math.Sqrt(far), bound, s.Widest())
		}
		worst = max(worst, math.Sqrt(far)/bound)
	}
	return worst
}

var wilds = flag.Int("wilds", 600, "how many edits, undos and what-ifs TestWild makes")

// TestWild: random edits, undos and what-ifs with weights and features from 1e-30 to 1e30 that float32 cannot hold
// leave states within their bounds of the exact minimiser, or are refused. What is refused or only asked leaves no
// trace. What is undone is what it was, to the last bit, or within the bound where states are computed again for that.
//
//	go test ./internal/live -run Wild -wilds 10000 -v
func TestWild(t *testing.T) {
	for _, norm := range []graph.Norm{graph.None, graph.Symmetric} {
		t.Run(fmt.Sprint("norm ", norm), func(t *testing.T) { wildly(t, norm, *wilds/2) })
	}
}

func wildly(t *testing.T, norm graph.Norm, rounds int) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 1))
	s, w := start(t, newForm(descent.Local{Lambda: 0.7, Weight: 1.3, Norm: norm}, 0), rng, 16, true)
	type version struct {
		past   *Past
		before *world
		print  uint64
	}
	var made []version
	worst, count := 0.0, map[string]int{}
	for round := range rounds {
		if last := len(made) - 1; last >= 0 && rng.IntN(4) == 0 {
			count["undone"]++
			v := made[last]
			if rng.IntN(8) == 0 { // those before it too: their rows are no longer what they were
				for _, v := range made {
					v.past.Trim()
				}
			}
			if made, w = made[:last], v.before; !takeBack(t, s, v.past) && s.print() != v.print {
				t.Fatalf("seed %d, round %d: undone, it is not what it was", seed, round)
			}
			worst = max(worst, w.within(t, s))
			continue
		}
		d, next, before := s.Draft(), w.clone(), s.print()
		for range 1 + rng.IntN(4) {
			next.wildEdit(t, d, rng)
		}
		var unsettled *Unsettled
		switch err := d.Settle(t.Context()); {
		case errors.As(err, &unsettled):
			count["refused"]++
			d.Drop()
		case err != nil:
			t.Fatalf("seed %d, round %d: %v", seed, round, err)
		case rng.IntN(3) == 0:
			count["asked"]++
			worst = max(worst, next.within(t, d))
			d.Drop()
		default:
			count["made"]++
			made = append(made, version{d.Commit(), w, before})
			w = next
			worst = max(worst, w.within(t, s))
			continue
		}
		if s.print() != before {
			t.Fatalf("seed %d, round %d: nothing was made, and the state has changed", seed, round)
		}
	}
	t.Logf("%v; the largest error is %.2g of its bound", count, worst)
	for _, what := range []string{"undone", "refused", "asked", "made"} {
		if count[what] < rounds/50 {
			t.Errorf("%d %s of %d", count[what], what, rounds)
		}
	}
}

// takeBack makes s what it was before a commit, and reports whether states were computed again for that.
func takeBack(t *testing.T, s *State, p *Past) (again bool) {
	t.Helper()
	if !p.Trimmed() {
		s.Restore(p)
		return false
	}
	d := s.Draft()
	d.Return(p)
	if err := d.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.Commit()
	return true
}

// TestDraft: what is done in a draft is not done in its State, to the last bit; committed it is, and restored it is as
// if it had never been. From what is left of a trimmed one it is found again. All of that for nodes that are added too,
// and where nothing can be settled.
func TestDraft(t *testing.T) {
	for name, f := range forms() {
		for _, weighted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, weighted %v", name, weighted), func(t *testing.T) { draft(t, f, weighted) })
		}
	}
}

func draft(t *testing.T, f form, weighted bool) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 1))
	s, w := start(t, f, rng, 30, weighted)
	for round := range 12 {
		before, next, d := s.print(), w.clone(), s.Draft()
		for range 1 + rng.IntN(8) {
			edit(t, d, next, rng, weighted)
		}
		if round%4 == 3 {
			d.Move(3, []mat.Real{mat.Real(math.Inf(1)), 0, 0})
		}
		err := d.Settle(t.Context())
		if round%4 < 3 && err != nil {
			t.Fatal(err)
		}
		if s.print() != before {
			t.Fatal("the draft has changed the State")
		}
		if round%4 == 0 || round%4 == 3 {
			d.Drop()
			continue
		}
		compare(t, d, next, "in the draft")
		past := d.Commit()
		compare(t, s, next, "committed")
		if round%4 == 1 {
			s.Restore(past)
			if s.print() != before {
				t.Fatal("it is not what it was before")
			}
			continue
		}
		past.Trim()
		d = s.Draft()
		d.Return(past)
		if err := d.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.Commit()
		compare(t, s, w, "returned")
	}
}

// TestCheck: what is not what it should be is found, and set right.
func TestCheck(t *testing.T) {
	for name, f := range forms() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, 1))
			s, w := start(t, f, rng, 30, true)
			for i, damage := range []func(v int){
				func(int) {},
				func(v int) { s.of[v].degree *= 1.5 },
				func(v int) {
					if f.steps > 0 {
						s.layers[2][v*cols] += 1
					} else {
						s.z[v*cols] += 1
					}
				},
			} {
				damage(5)
				d, wrong := s.Draft(), 0
				for range 10 {
					n, err := d.Check(t.Context(), 4)
					if err != nil {
						t.Fatal(err)
					}
					wrong += n
				}
				d.Commit()
				compare(t, s, w, fmt.Sprint(wrong, " set right"))
				if wrong > 0 != (i > 0) {
					t.Errorf("damage %d: %d rows were wrong", i, wrong)
				}
			}
		})
	}
}

// TestWeigh: a degree is exact to its last bit, also where small weights come after a large one.
func TestWeigh(t *testing.T) {
	l := list{weight: []mat.Real{1 << 60}}
	for range 1000 {
		l.weight = append(l.weight, 1)
	}
	if got, want := l.sumWeights(), float64(1<<60+1000); got != want {
		t.Errorf("%g more, want %g", got-1<<60, want-1<<60)
	}
}

// TestTooMuch: weights and rows that states cannot be kept with are refused in a sentence that says so.
func TestTooMuch(t *testing.T) {
	s, _ := start(t, newForm(descent.Local{Lambda: 1, Weight: 1}, 0), rand.New(rand.NewPCG(1, 2)), 10, false)
	for want, change := range map[string]func(d *State) error{
		"total weight of 1e+12, and 1e+09 is the limit": func(d *State) error {
			return d.Connect(d.Add(s.Pi(0)), 1, 1e12)
		},
		"move its state by 1.1e+17, and the tolerance is 1e-05": func(d *State) error {
			d.Move(1, []mat.Real{1e30, 0, 0})
			return nil
		},
		"weight 1e+308, want a number from 1.2e-38 to 3.4e+38": func(d *State) error {
			return d.Connect(d.Add(s.Pi(0)), 1, 1e308)
		},
	} {
		d := s.Draft()
		err := change(d)
		if err == nil {
			err = d.Settle(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		d.Drop()
	}
}
