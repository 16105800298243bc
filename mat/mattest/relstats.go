package mattest

import (
	"fmt"
	"sync"

	"github.com/bloomgml/bloom/mat"
)

// relStats are the statistics of the messages of one row and column. A message is a Real: products that
// round to the same number are equal.
type relStats struct {
	total, square  sum
	most, least    float64
	argMax, argMin int
	n              int
}

func (r *relStats) add(m float64) {
	m = float64(mat.Real(m))
	r.total.add(m)
	r.square.add(m * m)
	if r.n == 0 || m > r.most {
		r.most, r.argMax = m, r.n
	}
	if r.n == 0 || m < r.least {
		r.least, r.argMin = m, r.n
	}
	r.n++
}

// message returns what a triple sends in one column.
func message(x, y float64, plus bool) float64 {
	if plus {
		return x + y
	}
	return x * y
}

// messages returns the statistics of every row and column.
func (t triples) messages(x, y grid, plus bool) []relStats {
	stats := make([]relStats, t.bounds[0]*x.Cols)
	for i := range stats {
		stats[i].argMax, stats[i].argMin = -1, -1
	}
	for _, e := range t.list {
		for j := range x.Cols {
			stats[int(e[0])*x.Cols+j].add(message(x.at(int(e[1]), j), y.at(int(e[2]), j), plus))
		}
	}
	return stats
}

// eachMessages calls f with random numbers, and with coarse ones, whose products and sums are often equal.
func (s *suite) eachMessages(f func(t triples, x, y grid, plus bool)) {
	s.eachTriples(func(t triples, cols int) {
		for _, fill := range []func(mat.Shape) grid{s.random, s.coarse} {
			x, y := fill(mat.Shape{Rows: t.bounds[1], Cols: cols}), fill(mat.Shape{Rows: t.bounds[2], Cols: cols})
			f(t, x, y, false)
			f(t, x, y, true)
		}
	})
}

func statistics(d []*mat.Dense, plus bool) mat.RelStatistics {
	return mat.RelStatistics{Sum: d[0], Square: d[1], Max: d[2], Min: d[3], ArgMax: d[4], ArgMin: d[5], Plus: plus}
}

// checkRelStats: sum, sum of squares, largest and smallest message of every row, and which ones these are: the first of
// equals, −1 if the row has no messages.
func checkRelStats(s *suite) {
	s.eachMessages(func(t triples, x, y grid, plus bool) {
		m, stats := t.on(s), sync.OnceValue(func() []relStats { return t.messages(x, y, plus) })
		to := mat.Shape{Rows: t.bounds[0], Cols: x.Cols}
		at := func(f func(r relStats) near) func(i, j int) near {
			return func(i, j int) near { return f(stats()[i*x.Cols+j]) }
		}
		s.try(trial{
			name: fmt.Sprintf("RelStats of %v, %d columns, plus %v", t, x.Cols, plus), in: []grid{x, y},
			dst: []grid{junk(to), junk(to), junk(to), junk(to), junk(to), junk(to)},
			run: func(dst, in []*mat.Dense) { mat.RelStats(statistics(dst, plus), m, in[0], in[1]) },
			want: []func(i, j int) near{
				at(func(r relStats) near { return r.total.near() }),
				at(func(r relStats) near { return r.square.near() }),
				at(func(r relStats) near { return exact(r.most) }), at(func(r relStats) near { return exact(r.least) }),
				at(func(r relStats) near { return exact(float64(r.argMax)) }),
				at(func(r relStats) near { return exact(float64(r.argMin)) }),
			},
		})
	})
}

// checkRelStatsVJP: for triple e, number k of row i, with message m,
// dm[e,:] ← Sum + 2·m∘Square + [ArgMax = k]∘Max + [ArgMin = k]∘Min of row i.
func checkRelStatsVJP(s *suite) {
	s.eachMessages(func(t triples, x, y grid, plus bool) {
		m, to := t.on(s), mat.Shape{Rows: t.bounds[0], Cols: x.Cols}
		g := [6]grid{s.random(to), s.random(to), s.random(to), s.random(to), newGrid(to), newGrid(to)}
		for i, r := range t.messages(x, y, plus) {
			g[4].v[i], g[5].v[i] = mat.Real(r.argMax), mat.Real(r.argMin)
		}
		number := t.numbers()
		s.try(trial{
			name: fmt.Sprintf("RelStatsVJP of %v, %d columns, plus %v", t, x.Cols, plus), in: append(g[:], x, y),
			dst: []grid{junk(mat.Shape{Rows: len(t.list), Cols: x.Cols})},
			run: func(dst, in []*mat.Dense) { mat.RelStatsVJP(dst[0], statistics(in, plus), m, in[6], in[7]) },
			want: alone(func(e, j int) near {
				i, k := int(t.list[e][0]), float64(number[e])
				var d sum
				d.add(g[0].at(i, j))
				d.add(2 * message(x.at(int(t.list[e][1]), j), y.at(int(t.list[e][2]), j), plus) * g[1].at(i, j))
				d.add(indicator(g[4].at(i, j) == k) * g[2].at(i, j))
				d.add(indicator(g[5].at(i, j) == k) * g[3].at(i, j))
				return d.near()
			}),
		})
	})
}

// numbers returns the position of every triple within its row.
func (t triples) numbers() []int {
	number, seen := make([]int, len(t.list)), make([]int, t.bounds[0])
	for e := range t.list {
		number[e] = seen[t.list[e][0]]
		seen[t.list[e][0]]++
	}
	return number
}
