package audit

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// measures are the numbers among the columns of a bag: columns that most rows have, on either side of zero. Among
// hundreds of words and categories one wrong number changes neither the length of a row nor its direction, so numbers
// are also judged one by one, each against the class and the numbers of the neighbours:
//
//	r_j = |y_j − E_j| / s_j    y_j = (x_j − median_j) / scale_j    E: what a quadratic level predicts without it
//
// scale_j is the distance of the quartiles and s_j the median of |y_j − E_j|: wrong numbers are in neither.
type measures struct {
	columns       []int32
	middle, scale []float64
	from          *quadratic // y from neighbours and class
	spread        []float64  // s_j
	// alone and given measure how usual the numbers are together, y by itself and y − E: their difference tells
	// whether the numbers of a row belong to its place.
	alone, given *quadratic
}

// farthest bounds y and r.
const farthest = 1e3

// newMeasures returns nil if a bag has no numbers.
func (w *world) newMeasures() *measures {
	if w.columns == nil || !w.columns.bag {
		return nil
	}
	m := &measures{columns: w.columns.numbers()}
	if len(m.columns) == 0 {
		return nil
	}
	values := w.columns.values(m.columns)
	for _, list := range values {
		slices.Sort(list)
		n := len(list)
		m.middle = append(m.middle, list[n/2])
		m.scale = append(m.scale, list[3*n/4]-list[n/4]+1e-3*w.columns.rms+1e-12)
	}
	m.learn(w)
	return m
}

// learn predicts the numbers of nodes, after outliers were moved nearer.
func (m *measures) learn(w *world) {
	y, there := newNumbers(w.n, len(m.columns)), make([][]bool, w.n)
	var r row
	for i := range w.n {
		w.columns.read(&r, i)
		there[i] = make([]bool, len(m.columns))
		for k, j := range m.columns {
			if x := r.at(j); x != 0 {
				there[i][k] = true
				y.at(i)[k] = mat.Real(min(max(m.unit(k, x), -clip), clip))
			}
		}
	}
	around := []numbers{w.hood.average(y), w.place}
	if w.k > 1 {
		around = append(around, w.onehot, w.votes)
	}
	m.from = newQuadratic(newDesign(join(around...), w.usual), y, squared)
	m.spread = make([]float64, len(m.columns))
	out := make([]float64, len(m.columns))
	errors, left := make([][]float64, len(m.columns)), newNumbers(w.n, len(m.columns))
	for i := range w.n {
		m.from.leaveOut(out, i)
		for k, e := range out {
			if there[i][k] {
				left.at(i)[k] = y.at(i)[k] - mat.Real(e)
			}
			if there[i][k] && w.usual[i] {
				errors[k] = append(errors[k], math.Abs(float64(left.at(i)[k])))
			}
		}
	}
	m.alone, m.given = newShape(newDesign(y, w.usual)), newShape(newDesign(left, w.usual))
	for k, list := range errors {
		slices.Sort(list)
		m.spread[k] = list[len(list)/2] + 1e-6
	}
}

// unit is number x of measure k in distances of the quartiles from the median.
func (m *measures) unit(k int, x float64) float64 { return (x - m.middle[k]) / m.scale[k] }

// energy is r² of number x of measure k, of which want is expected.
func (m *measures) energy(k int, x, want float64) float64 {
	r := min(math.Abs(m.unit(k, x)-want)/m.spread[k], farthest)
	return r * r
}

// terms returns the logarithms of the largest and of the mean energy of the numbers that a row has.
func (m *measures) terms(r *row, want []float64) []float64 {
	worst, all, n := 0.0, 0.0, 0.0
	for k, j := range m.columns {
		if x := r.at(j); x != 0 {
			e := m.energy(k, x, want[k])
			worst, all, n = max(worst, e), all+e, n+1
		}
	}
	return []float64{math.Log(worst + 1e-3), math.Log(all/max(n, 1) + 1e-3)}
}

// oddness returns how much less usual the numbers of row r are at node i, where want is expected, than anywhere:
//
//	(y − E − m)ᵀ S⁻¹ (y − E − m) − (y − m′)ᵀ S′⁻¹ (y − m′)
//
// S and S′ being the covariances of y − E and of y: twice the logarithm of a likelihood ratio of normal distributions.
func (m *measures) oddness(i int, r *row, want []float64) float64 {
	y, left := newNumbers(1, len(m.columns)), newNumbers(1, len(m.columns))
	for k, j := range m.columns {
		if x := r.at(j); x != 0 {
			y.at(0)[k] = mat.Real(min(max(m.unit(k, x), -clip), clip))
			left.at(0)[k] = y.at(0)[k] - mat.Real(want[k])
		}
	}
	return m.given.n*m.given.energy(i, m.given.coordinates(left).at(0)) -
		m.alone.n*m.alone.energy(i, m.alone.coordinates(y).at(0))
}

// spike is own with one of its numbers far outside.
func (m *measures) spike(to, own *row, _ *columns, rng *rand.Rand) {
	to.idx, to.val = append(to.idx[:0], own.idx...), append(to.val[:0], own.val...)
	for _, k := range rng.Perm(len(m.columns)) {
		if at, ok := slices.BinarySearch(to.idx, m.columns[k]); ok {
			far := (2 + 10*rng.Float64()) * m.scale[k]
			if rng.IntN(3) == 0 {
				far = -far
			}
			to.val[at] = m.middle[k] + far
			return
		}
	}
}

// numbers returns the columns that most rows have and that are on either side of zero, as words and categories are
// not.
func (c *columns) numbers() (list []int32) {
	above, below := make([]bool, len(c.count)), make([]bool, len(c.count))
	for i := range c.x.Rows {
		if !c.usual[i] {
			continue
		}
		for j, v := range c.x.Entries(i) {
			above[j], below[j] = above[j] || v > 0, below[j] || v < 0
		}
	}
	for j, n := range c.count {
		if above[j] && below[j] && 2*n > c.rows {
			list = append(list, int32(j))
		}
	}
	return list
}

// values returns the numbers of some columns that are not 0.
func (c *columns) values(pick []int32) [][]float64 {
	list := make([][]float64, len(pick))
	var r row
	for i := range c.x.Rows {
		if !c.usual[i] {
			continue
		}
		c.read(&r, i)
		for k, j := range pick {
			if x := r.at(j); x != 0 {
				list[k] = append(list[k], x)
			}
		}
	}
	return list
}
