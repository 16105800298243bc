package live

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// sums are what every row hears of its neighbours, kept up to date row by row:
//
//	q_v = Σ_u a_uv s_u h_u        ∇_v = k_v h_v − λ s_v q_v + w φ(h_v − p_v),   k_v = λ d_v s_v²
type sums struct {
	q     []float64 // in double precision, so that many small moves of neighbours leave no trace
	told  []float64 // s_v with which v stands in the q of its neighbours
	left  []float64 // left[v] ≥ ‖∇_v‖
	grain []float64 // how much of it is rounding in q_v, since that was summed anew
	fine  []float64 // how much of it no step can take away: rounding in h_v

	limit   float64 // the largest left[v]/allowance(v) that Settle leaves
	visited int     // rows that the last Settle solved for
}

// rounding is the relative error of a few sums in a row.
const rounding = 1.0 / (1 << 22)

// begin makes the sums of a state that has none.
func (s *State) begin() {
	s.q = make([]float64, len(s.h))
	s.told = make([]float64, s.Nodes())
	s.left, s.grain = make([]float64, s.Nodes()), make([]float64, s.Nodes())
	s.fine = make([]float64, s.Nodes())
	rows := make([]int32, s.Nodes())
	for v := range rows {
		rows[v] = int32(v)
		s.told[v] = s.form.scale(s.on.degree[v])
	}
	s.refresh(rows)
}

// grow is a row more.
func (t *sums) grow(cols int) {
	t.q = append(t.q, make([]float64, cols)...)
	t.told, t.left = append(t.told, 0), append(t.left, 0)
	t.grain, t.fine = append(t.grain, 0), append(t.fine, 0)
}

// say adds a·s_v h_v to what u hears, and the other way round.
func (s *State) say(u, v int32, a mat.Real) {
	if s.form.Steps > 0 {
		return
	}
	for _, e := range [2][2]int32{{u, v}, {v, u}} {
		by, q := float64(a)*s.told[e[1]], s.heard(e[0])
		for j, x := range s.Row(e[1]) {
			q[j] += by * float64(x)
		}
	}
}

// heard is q_v.
func (s *State) heard(v int32) []float64 { return s.q[int(v)*s.cols : (int(v)+1)*s.cols] }

// refresh sums q of rows anew, so that no rounding is left of the moves before.
func (s *State) refresh(rows []int32) {
	for _, v := range rows {
		q := s.heard(v)
		clear(q)
		for at, u := range s.on.near[v] {
			by := float64(s.on.weightAt(v, at)) * s.told[u]
			for j, x := range s.Row(u) {
				q[j] += by * float64(x)
			}
		}
		s.grain[v] = 0
	}
}

// push adds the moves of rows, which are the rows of out, to the sums of their neighbours, and lists these ascending.
func (s *State) push(rows []int32) []int32 {
	near := s.around(rows)
	s.lists(rows, near)
	s.product(len(near), len(rows), s.out)
	for i, u := range near {
		q, moved := s.heard(u), s.sum[i*s.cols:(i+1)*s.cols]
		for j, x := range moved {
			q[j] += float64(x)
		}
		s.grain[u] += rounding * s.form.Lambda * s.told[u] * norm(moved)
	}
	return near
}

// around are the neighbours of rows, ascending; place says where each of them stands.
func (s *State) around(rows []int32) []int32 {
	s.now++
	var near []int32
	for _, v := range rows {
		for _, u := range s.on.near[v] {
			if s.mark[u] != s.now {
				s.mark[u] = s.now
				near = append(near, u)
			}
		}
	}
	slices.Sort(near)
	for i, u := range near {
		s.place[u] = int32(i)
	}
	return near
}

// lists are the edges from rows to near, a row for each of near.
func (s *State) lists(rows, near []int32) {
	s.ptr = append(s.ptr[:0], make([]int64, len(near)+1)...)
	total := 0
	for _, v := range rows {
		for _, u := range s.on.near[v] {
			s.ptr[s.place[u]+1]++
		}
		total += len(s.on.near[v])
	}
	for i := range near {
		s.ptr[i+1] += s.ptr[i]
	}
	s.idx, s.val = slices.Grow(s.idx[:0], total)[:total], s.val[:0]
	if s.on.weight != nil {
		s.val = room(s.val, total)
	}
	for i, v := range rows {
		for at, u := range s.on.near[v] {
			e := &s.ptr[s.place[u]]
			s.idx[*e] = int32(i)
			if s.on.weight != nil {
				s.val[*e] = s.on.weight[v][at]
			}
			*e++
		}
	}
	copy(s.ptr[1:], s.ptr[:len(near)])
	s.ptr[0] = 0
}

// looking measures gradients.
type looking struct {
	s    *State
	rows []int32
}

// Do takes a chunk.
func (t *looking) Do(chunk int) {
	s := t.s
	lo, hi := span(chunk, len(t.rows))
	for _, v := range t.rows[lo:hi] {
		s.measure(v)
	}
}

// measure bounds the gradient of v, with all rounding in it.
func (s *State) measure(v int32) {
	own, w := s.form.own(s.on.degree[v]), s.form.Weight
	by := s.form.Lambda * s.form.scale(s.on.degree[v])
	h, p := s.Row(v), s.Pi(v)
	var sum float64
	for j, q := range s.heard(v) {
		g := own*float64(h[j]) - by*q + w*float64(s.form.phi(h[j]-p[j]))
		if s.form.Kind.NonNeg && h[j] == 0 {
			g = min(g, 0)
		}
		sum += g * g
	}
	s.fine[v] = rounding * ((own+w)*norm(h) + w*norm(p))
	s.left[v] = math.Sqrt(sum) + s.grain[v]
}

// phi is φ.
func (f Form) phi(r mat.Real) mat.Real {
	switch f.Kind.Phi {
	case mat.PhiHuber:
		return max(-f.Kind.T, min(f.Kind.T, r))
	case mat.PhiLogCosh:
		return mat.Real(math.Tanh(float64(r)))
	}
	return r
}

// look measures the gradients of rows and lists those that are too long.
func (s *State) look(rows []int32, tolerance float64) []int32 {
	kernel.Each(chunks(len(rows)), &looking{s, rows})
	var long, worn []int32
	for _, v := range rows {
		if s.grain[v] > s.most(v, tolerance)/4 {
			worn = append(worn, v)
		}
	}
	if len(worn) > 0 {
		s.refresh(worn)
		kernel.Each(chunks(len(worn)), &looking{s, worn})
	}
	for _, v := range rows {
		most := s.most(v, tolerance)
		s.limit = max(s.limit, most/s.allowance(v))
		if !(s.left[v] <= most) || math.IsInf(most, 1) {
			long = append(long, v)
		}
	}
	slices.Sort(long)
	return long
}

// most is how long the gradient of v may be.
func (s *State) most(v int32, tolerance float64) float64 {
	return max(tolerance*s.allowance(v), 4*s.fine[v])
}

func norm(x []mat.Real) float64 {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}
