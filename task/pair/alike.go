package pair

import (
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// alike compares nodes by their features. Columns are scaled first: of bags of words by log(n/number of nodes that have
// one), else to mean 0 and deviation 1; then rows to norm 1, x̂. A node is also compared by the sum of its neighbours'
// rows, s = Σ_w x̂_w over pairs that are not hidden.
type alike struct {
	near *neighbours
	x    []entries // x̂
	sums []sum
	time int // grows when other pairs are hidden

	from  int32 // the node that lies in x̂ and s below, −1 for none
	at    int   // the time of that
	lying [2][]mat.Real
	mark  []int // of columns, for adding up
	round int
}

// entries are the columns and values of a row.
type entries struct {
	idx []int32
	val []mat.Real
}

// sum is s of a node.
type sum struct {
	entries
	time        int     // it was taken at
	own, square float64 // ⟨x̂, s⟩ and ‖s‖²
}

// newAlike compares nodes whose features are the rows of x, scaled by the first rows.
func newAlike(x dataset.Matrix, first int, near *neighbours) *alike {
	a := &alike{near: near, x: scaled(x, first), sums: make([]sum, x.Rows), time: 1, from: -1,
		mark: make([]int, x.Cols)}
	for i := range a.lying {
		a.lying[i] = make([]mat.Real, x.Cols)
	}
	return a
}

// scaled returns the rows of x, columns scaled and rows of norm 1.
func scaled(x dataset.Matrix, first int) []entries {
	shift, factor := columnScales(x, first)
	rows := make([]entries, x.Rows)
	for v := range rows {
		r, square := &rows[v], 0.0
		for j, value := range x.Entries(v) {
			y := (float64(value) - shift[j]) * factor[j]
			if square += y * y; y != 0 {
				r.idx, r.val = append(r.idx, int32(j)), append(r.val, mat.Real(y))
			}
		}
		for i := range r.val {
			r.val[i] /= mat.Real(math.Sqrt(square))
		}
	}
	return rows
}

// columnScales returns what is subtracted from columns and what they are then multiplied by, from the first rows.
func columnScales(x dataset.Matrix, first int) (shift, factor []float64) {
	shift, factor = make([]float64, x.Cols), make([]float64, x.Cols)
	count, n := make([]float64, x.Cols), float64(first)
	for v := range first {
		for j, value := range x.Entries(v) {
			if value != 0 {
				count[j]++
			}
			shift[j] += float64(value) / n
			factor[j] += float64(value) * float64(value) / n
		}
	}
	for j := range factor {
		if x.IsSparse() {
			shift[j], factor[j] = 0, math.Log(n/max(count[j], 1))
		} else if sd := math.Sqrt(max(0, factor[j]-shift[j]*shift[j])); sd > 0 {
			factor[j] = 1 / sd
		}
	}
	return shift, factor
}

// sum returns s of v.
func (a *alike) sum(v int32) *sum {
	s := &a.sums[v]
	if s.time == a.time {
		return s
	}
	s.time, s.idx, s.val, s.own, s.square = a.time, s.idx[:0], s.val[:0], 0, 0
	a.round++
	a.from = -1
	room := a.lying[1]
	for i := a.near.start[v]; i < a.near.start[v+1]; i++ {
		if a.near.hidden[a.near.of[i]] {
			continue
		}
		x := a.x[a.near.list[i]]
		for k, j := range x.idx {
			if a.mark[j] != a.round {
				a.mark[j], room[j] = a.round, 0
				s.idx = append(s.idx, j)
			}
			room[j] += x.val[k]
		}
	}
	for k, j := range a.x[v].idx {
		if a.mark[j] == a.round {
			s.own += float64(a.x[v].val[k] * room[j])
		}
	}
	for _, j := range s.idx {
		s.val = append(s.val, room[j])
		s.square += float64(room[j] * room[j])
	}
	clear(room)
	return s
}

// scatter puts x̂ and s of u where products are taken.
func (a *alike) scatter(u int32, s *sum) {
	if a.from == u && a.at == a.time {
		return
	}
	a.from, a.at = u, a.time
	for i, r := range []entries{a.x[u], s.entries} {
		clear(a.lying[i])
		for k, j := range r.idx {
			a.lying[i][j] = r.val[k]
		}
	}
}

// against returns the products of r with what lies there.
func (a *alike) against(r entries) (x, s float64) {
	for k, j := range r.idx {
		x += float64(r.val[k] * a.lying[0][j])
		s += float64(r.val[k] * a.lying[1][j])
	}
	return x, s
}

// square returns ‖x̂ + s/r‖² of v.
func (a *alike) square(v int32, s *sum, r float64) float64 {
	x := 1.0
	if len(a.x[v].idx) == 0 {
		x = 0
	}
	return x + 2*s.own/r + s.square/(r*r)
}

// likenesses is how many numbers describe how alike a pair is.
const likenesses = 6

// describe writes how alike u and v are: the cosine of their features, the smaller and the larger mean cosine of one
// with the neighbours of the other, the cosine of x̂ + s/√d of both, the sum of log(1 + d), and the smaller of these; d
// counts neighbours.
func (a *alike) describe(dst []mat.Real, u, v int32) {
	su, sv := a.sum(u), a.sum(v)
	a.scatter(u, su)
	xx, sx := a.against(a.x[v])
	xs, ss := a.against(sv.entries)
	du, dv := float64(a.near.degree[u]), float64(a.near.degree[v])
	ru, rv := math.Sqrt(max(du, 1)), math.Sqrt(max(dv, 1))
	both := xx + xs/rv + sx/ru + ss/(ru*rv)
	if size := math.Sqrt(a.square(u, su, ru) * a.square(v, sv, rv)); size > 0 {
		both /= size
	}
	one, other := xs/max(dv, 1), sx/max(du, 1)
	for i, x := range [likenesses]float64{xx, min(one, other), max(one, other), both,
		math.Log1p(du) + math.Log1p(dv), math.Log1p(min(du, dv))} {
		dst[i] = mat.Real(x)
	}
}
