package certify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// filtered is f(S) x, by columns, from the plain formulas: by elimination, and powers of P.
func filtered(m matrix, lambda float64, powers []float64, x [][]float64) [][]float64 {
	n := len(m)
	out := make([][]float64, len(x))
	for j, column := range x {
		out[j] = make([]float64, n)
		if lambda != 0 {
			a := make([][]float64, n)
			for v := range a {
				a[v] = make([]float64, n+1)
				a[v][n] = column[v]
				for u := range n {
					if u == v || m[v][u] {
						a[v][u] = -lambda / math.Sqrt((m.degree(v)+1)*(m.degree(u)+1))
					}
				}
				a[v][v] += 1 + math.Abs(lambda)
			}
			eliminate(a)
			for v := range a {
				out[j][v] = a[v][n]
			}
			continue
		}
		now := slices.Clone(column)
		for _, c := range powers {
			next := make([]float64, n)
			for v := range n {
				out[j][v] += c * now[v]
				for u, is := range m[v] {
					if is {
						next[v] += now[u] / m.degree(v)
					}
				}
			}
			now = next
		}
	}
	return out
}

// eliminate solves a system whose right side is the last column, in place.
func eliminate(a [][]float64) {
	for i := range a {
		for r := range a {
			if f := a[r][i] / a[i][i]; r != i {
				for c := range a[r] {
					a[r][c] -= f * a[i][c]
				}
			}
		}
	}
	for i := range a {
		a[i][len(a)] /= a[i][i]
	}
}

// plainRow returns row v of columns, and how long it is.
func plainRow(x [][]float64, v int) ([]float64, float64) {
	line := row(x, v)
	return line, length(line)
}

// channelOf makes a channel with weights w, by outputs, from the plain formulas.
func channelOf(m matrix, lambda float64, powers []float64, unit bool, x, w [][]float64) *Channel {
	n, k := len(m), len(w)
	c := &Channel{Lambda: lambda, Powers: powers, Unit: unit, Gram: make([]float64, k*k)}
	for i := range w {
		z := make([]float64, n)
		for j, y := range w[i] {
			for v := range z {
				z[v] += x[j][v] * y
			}
			for o := range w {
				c.Gram[i*k+o] += y * w[o][j]
			}
		}
		c.Z = append(c.Z, z)
	}
	list := [][][]float64{x}
	for p := range powers {
		list = append(list, filtered(m, 0, append(make([]float64, p), 1), x))
	}
	h := filtered(m, lambda, powers, x)
	for _, column := range h {
		for v := range column {
			if lambda != 0 {
				column[v] /= math.Sqrt(m.degree(v) + 1)
			}
		}
	}
	list = append(list, h)
	for _, y := range list {
		norm := make([]float64, n)
		for v := range norm {
			_, norm[v] = plainRow(y, v)
		}
		c.Norm = append(c.Norm, norm)
	}
	from, to, a, b := list[1:], list[min(2, len(list)-1):], 1.0, -1.0
	if lambda != 0 {
		a, b = math.Abs(lambda), -math.Copysign(1+math.Abs(lambda), lambda)
	}
	for s := range max(len(powers)-1, min(len(list)-1, 1)) {
		gap := make([][]float64, n)
		for v, near := range m.lists() {
			for _, u := range near {
				y, _ := plainRow(from[s], int(u))
				z, _ := plainRow(to[s], v)
				for j := range y {
					y[j] = a*y[j] + b*z[j]
				}
				gap[v] = append(gap[v], length(y))
			}
		}
		c.Gap = append(c.Gap, gap)
	}
	return c
}

// margins are what a channel adds to class 0 over 1.
func (c *Channel) margins(m matrix, x, w [][]float64) []float64 {
	h, out := filtered(m, c.Lambda, c.Powers, x), make([]float64, len(m))
	for v := range out {
		line, size := plainRow(h, v)
		for j, y := range line {
			out[v] += y * (w[0][j] - w[1][j])
		}
		if c.Unit && size > 1e-12 {
			out[v] /= size
		} else if c.Unit {
			out[v] = 0
		}
	}
	return out
}

// TestChannels: no change of edges within the budget takes a channel below its bound, and without changes the bound is
// the channel itself.
func TestChannels(t *testing.T) {
	const n, d = 14, 4
	for i, c := range []struct {
		lambda float64
		powers []float64
		unit   bool
	}{{5, nil, false}, {5, nil, true}, {1, nil, true}, {-2, nil, false}, {-2, nil, true}, {0, []float64{1}, true},
		{0, []float64{0, 1}, true}, {0, []float64{0, 0, 1}, false}, {0, []float64{0, 0, 1}, true},
		{0, []float64{1, -1}, true}, {0, []float64{1, -1}, false}} {
		for _, add := range []Additions{NoAdditions, TwoHop, All} {
			t.Run(fmt.Sprintf("%v %s", c, add), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(i), 9))
				on, x, w := randomMatrix(r, n, 0.3), make([][]float64, d), make([][]float64, 2)
				for j := range x {
					x[j] = make([]float64, n)
					for v := range x[j] {
						x[j][v] = r.NormFloat64() + 1
					}
					w[0], w[1] = append(w[0], r.NormFloat64()), append(w[1], r.NormFloat64())
				}
				checkChannel(t, r, channelOf(on, c.lambda, c.powers, c.unit, x, w), on, add, x, w)
			})
		}
	}
}

func checkChannel(t *testing.T, r *rand.Rand, c *Channel, on matrix, add Additions, x, w [][]float64) {
	n, now := len(on), c.margins(on, x, w)
	bound := func(b int) []float64 {
		p := &Problem{Near: on.lists(), Budget: budgets(n, b), Add: add}
		return p.lower(c, p.unit(c), 0, 1)
	}
	for v, y := range bound(0) {
		if math.Abs(y-now[v]) > 1e-4*(1+math.Abs(now[v])) {
			t.Errorf("node %d: %v without changes, want %v", v, y, now[v])
		}
	}
	low := bound(1)
	for range 300 {
		a := &attacker{on.clone(), budgets(n, 1)}
		for range r.IntN(4 * n) {
			u, v := r.IntN(n), r.IntN(n)
			common := false
			for w := range n {
				common = common || on[u][w] && on[w][v]
			}
			if on[u][v] || add == All || add == TwoHop && common {
				a.flip(u, v)
			}
		}
		for v, y := range c.margins(a.matrix, x, w) {
			if y < low[v]-1e-9 {
				t.Fatalf("node %d falls to %v, below %v", v, y, low[v])
			}
		}
	}
}
