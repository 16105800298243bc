package audit

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// place is the node at which rows are judged, i, whose own row, class and neighbourhood stay as they are.
type place struct {
	i      int
	p      *opinions
	own    row       // the row that is there, as it came
	around []float64 // mean of the scaled rows of neighbours, d numbers, and the norm of it
	norm   float64
	share  []float64 // share of neighbours in whose row a column is not 0, d numbers; nil for a table
	row    []float64 // x̂ V as the neighbourhood predicts it, without i
	wanted []float64 // the measures, in their units, without i
}

// places makes places one by one, sharing memory.
type places struct {
	*view
	place
	touched []int32
}

func (v *view) places() *places {
	s := &places{view: v}
	s.around = make([]float64, v.Rows.Cols)
	if v.columns.bag {
		s.share = make([]float64, v.Rows.Cols)
	}
	s.row = make([]float64, v.linear)
	if v.measures != nil {
		s.wanted = make([]float64, len(v.measures.columns))
	}
	return s
}

// at goes to the place of node i.
func (s *places) at(i int) {
	for _, j := range s.touched {
		s.around[j] = 0
		if s.share != nil {
			s.share[j] = 0
		}
	}
	s.touched = s.touched[:0]
	s.i, s.p = i, s.opinions(i)
	s.columns.read(&s.own, i)
	count := 0
	for _, u := range s.hood.neighboursOf(int32(i)) {
		if s.usual[u] {
			count++
		}
	}
	each := 1 / float64(max(count, 1))
	for _, u := range s.hood.neighboursOf(int32(i)) {
		if !s.usual[u] {
			continue
		}
		idx, val := s.scaled.at(u)
		for k, j := range idx {
			s.around[j] += each * float64(val[k])
			if s.share != nil {
				s.share[j] += each
			}
			s.touched = append(s.touched, j)
		}
	}
	slices.Sort(s.touched)
	s.touched = slices.Compact(s.touched)
	sum := 0.0
	for _, j := range s.touched {
		sum += s.around[j] * s.around[j]
	}
	s.norm = math.Sqrt(sum)
	s.rowFrom.leaveOut(s.row, i)
	if s.wanted != nil {
		s.measures.from.leaveOut(s.wanted, i)
	}
}

// candidate is a row to be judged at a place.
type candidate struct {
	raw    row
	home   row        // the row that is left out of the statistics of columns, where it comes from
	z      []mat.Real // its code
	p      []float64  // what it says of the class, without the place; nil without classes
	energy float64    // (z − m)ᵀ G⁻¹ (z − m), the same
}

// rowTerms returns the numbers by which candidate c is judged at place s. The first world.sizes of them are sizes.
func (s *places) rowTerms(c *candidate) []float64 {
	fit, energy := s.predicted(c)
	t := append(s.statistics(c), math.Log(c.energy+1e-9), energy[0], energy[1])
	t = append(t, s.classTerms(c)...)
	t = append(t, fit)
	if s.wanted != nil {
		t = append(t, s.measures.oddness(s.i, &c.raw, s.wanted))
	}
	var scaled row
	s.columns.scale(&scaled, &c.raw)
	inner := 0.0
	for k, j := range scaled.idx {
		inner += scaled.val[k] * s.around[j]
	}
	t = append(t, inner/max(s.norm*scaled.norm(), 1e-9))
	t = append(t, cosine(c.z, s.near.at(s.i)), cosine(c.z, s.far.at(s.i)))
	t = append(t, math.Log1p(float64(s.hood.degree(int32(s.i)))))
	if s.basis.cols > 0 {
		all, first := dot(c.z, c.z), dot(c.z[:min(20, len(c.z))], c.z[:min(20, len(c.z))])
		t = append(t, all, first)
	}
	return t
}

// classTerms returns how well the class that the row suggests fits the given one and the neighbourhood.
func (s *places) classTerms(c *candidate) []float64 {
	if c.p == nil {
		return nil
	}
	t := []float64{0, 0, 0, 0, 0, 0}
	if y := s.Class[s.i]; y >= 0 {
		t[0], t[1] = math.Log(c.p[y]), margin(c.p, y)
	}
	for k, q := range c.p {
		t[2] += q * s.p.around[k]
		t[3] += q * s.p.votes[k]
		t[4] += q * s.p.beyond[k]
		t[5] += q * math.Log(q)
	}
	for k := 2; k < 5; k++ {
		t[k] = math.Log(t[k])
	}
	return t
}

// predicted compares the code with what the neighbourhood predicts, column by column: the cosine, and the logarithms
// of the whole energy and of the largest of a column.
func (s *places) predicted(c *candidate) (fit float64, sizes [2]float64) {
	inner, mine, theirs, energy, worst := 0.0, 0.0, 0.0, 0.0, 0.0
	for k, want := range s.row {
		x := float64(c.z[k])
		e := (x - want) * (x - want) / (s.spread[k] + 1e-12)
		inner += x * want
		mine += x * x
		theirs += want * want
		energy += e
		worst = max(worst, e)
	}
	return inner / max(math.Sqrt(mine*theirs), 1e-12), [2]float64{math.Log(energy + 1e-9), math.Log(worst + 1e-9)}
}

// statistics returns the terms about the row's own columns, by means, deviations and frequencies from which the row at
// home is left out.
func (s *places) statistics(c *candidate) []float64 {
	lift, rare, z2, worst, minus := 0.0, 0.0, s.columns.background, 0.0, 0.0
	n := 0.0
	for k, j := range c.raw.idx {
		x := c.raw.val[k]
		if x == 0 && s.columns.bag {
			continue
		}
		n++
		home := c.home.at(j)
		f := s.columns.frequency(j, home)
		rare += math.Log(f)
		if s.share != nil {
			lift += math.Log(0.7 + 0.3*s.share[j]/f)
		}
		m, sd := s.columns.moments(int(j), home, 1)
		z := min(math.Abs(x-m)/sd, 1e3)
		z2 += z*z - m*m/(sd*sd)
		worst = max(worst, z)
		if x < 0 {
			minus++
		}
	}
	d := float64(s.Rows.Cols)
	t := []float64{math.Log(max(z2, 0)/d + 1e-9), math.Log(worst + 1e-9)}
	if s.columns.bag {
		n = max(n, 1)
		t = append(t, lift/n, rare/n, math.Log(n), minus/n, math.Log(c.raw.norm()+1e-9))
	}
	if s.wanted != nil {
		t = append(t, s.measures.terms(&c.raw, s.wanted)...)
	}
	return t
}
