package audit

import (
	"math"
	"math/rand/v2"
	"slices"
)

// fault is a way in which a row can be wrong: it fills to with the row that would then replace own.
type fault func(to, own *row, c *columns, rng *rand.Rand)

// rowFaults returns the ways in which rows are wrong, besides being another node's.
func (w *world) rowFaults() []fault {
	switch {
	case w.measures != nil:
		return []fault{shuffled, noise, like, w.measures.spike}
	case w.columns.bag:
		return []fault{shuffled, noise, like}
	}
	return []fault{shuffled, wild, like, spike}
}

// shuffled has the numbers of own in other columns.
func shuffled(to, own *row, c *columns, rng *rand.Rand) {
	to.val = append(to.val[:0], own.val...)
	rng.Shuffle(len(to.val), func(i, j int) { to.val[i], to.val[j] = to.val[j], to.val[i] })
	if !c.bag {
		to.idx = append(to.idx[:0], own.idx...)
		return
	}
	d := c.x.Cols
	seen := make(map[int32]bool, len(own.idx))
	to.idx = to.idx[:0]
	for len(to.idx) < len(own.idx) {
		if j := int32(rng.IntN(d)); !seen[j] {
			seen[j] = true
			to.idx = append(to.idx, j)
		}
	}
	slices.Sort(to.idx)
}

// noise is N(0, s²) in every column, s from an eightieth of the root mean square of X to eight times it: rows of any
// size, that have all columns. Half of them have no signs.
func noise(to, _ *row, c *columns, rng *rand.Rand) {
	all := 0.0
	for _, v := range c.sum2 {
		all += v
	}
	s := 8 * math.Pow(10, -2.8*rng.Float64()) * math.Sqrt(all/(c.rows*float64(c.x.Cols)))
	to.idx, to.val = to.idx[:0], to.val[:0]
	for j := range c.x.Cols {
		to.idx, to.val = append(to.idx, int32(j)), append(to.val, s*rng.NormFloat64())
	}
	to.unsign(rng)
}

// like is noise with the mean and the deviation that each column has. Half of the rows of a bag have no signs.
func like(to, _ *row, c *columns, rng *rand.Rand) {
	if each(to, c, 1, rng); c.bag {
		to.unsign(rng)
	}
}

// unsign takes the signs of half of the rows away: noise of one sign is noise too, and words have none.
func (r *row) unsign(rng *rand.Rand) {
	if rng.IntN(2) == 0 {
		return
	}
	for k, x := range r.val {
		r.val[k] = math.Abs(x)
	}
}

// wild is noise with one to eight times the deviation of each column: as like, of any size.
func wild(to, _ *row, c *columns, rng *rand.Rand) { each(to, c, math.Pow(8, rng.Float64()), rng) }

// each draws N(mean_j, (times·sd_j)²) in every column j.
func each(to *row, c *columns, times float64, rng *rand.Rand) {
	to.idx, to.val = to.idx[:0], to.val[:0]
	for j, m := range c.mean {
		to.idx, to.val = append(to.idx, int32(j)), append(to.val, m+times*c.sd[j]*rng.NormFloat64())
	}
}

// spike is own with one number far outside of its column.
func spike(to, own *row, c *columns, rng *rand.Rand) {
	to.idx, to.val = append(to.idx[:0], own.idx...), append(to.val[:0], own.val...)
	k := rng.IntN(len(to.idx))
	m, sd := c.mean[to.idx[k]], c.sd[to.idx[k]]
	z := 8 + 8*rng.Float64()
	if rng.IntN(3) == 0 {
		z = -z
	}
	to.val[k] = m + z*sd
}

// judgeRows judges the rows of the nodes of a fold: as they are, were they another node's, and as faults would make
// them.
func (v *view) judgeRows(f int32) error {
	s, c := v.places(), &candidate{}
	var own, at []int32
	for i, g := range v.fold {
		if g == f {
			s.at(i)
			v.candidate(c, i)
			place := v.rows.add(int32(i), s.rowTerms(c))
			v.rows.odd = append(v.rows.odd, !v.columns.usual[i])
			if v.columns.usual[i] {
				own, at = append(own, int32(i)), append(at, place)
			}
		}
	}
	rng := v.random(100 + uint64(f))
	nodes, at := thinned(own, at, mostExamples/v.folds)
	for range repeats(v.n) {
		for k, i := range nodes {
			s.at(int(i))
			v.candidate(c, v.other(i, own, rng))
			v.rows.suppose(0, at[k], s.rowTerms(c))
		}
		for k, fault := range v.rowFaults() {
			if err := v.suppose(k+1, fault, nodes, at, rng); err != nil {
				return err
			}
		}
	}
	return nil
}

// repeats returns the number of examples of each thing in each way: more if things are few.
func repeats(things int) int { return min(max(2000/max(things, 1), 1), 10) }

// thinned is at most limit of the nodes, evenly spread, and their places.
func thinned(nodes, at []int32, limit int) (some, where []int32) {
	step := 1 + (len(nodes)-1)/limit
	for k := 0; k < len(nodes); k += step {
		some, where = append(some, nodes[k]), append(where, at[k])
	}
	return some, where
}

// other draws a node of the same type as i.
func (v *view) other(i int32, from []int32, rng *rand.Rand) int {
	types := v.Graph.NodeTypes()
	for range 50 {
		j := from[rng.IntN(len(from))]
		if j != i && (types == nil || types[i] == types[j]) {
			return int(j)
		}
	}
	return int(i)
}

// candidate fills c with row j as it is, left out of what judges it.
func (v *view) candidate(c *candidate, j int) {
	v.columns.read(&c.raw, j)
	if c.home = (row{}); v.columns.usual[j] {
		v.columns.read(&c.home, j)
	}
	c.z = v.z.at(j)
	c.energy = v.shape.energy(j, v.shape.a.at(j))
	if v.fromRow != nil {
		c.p = make([]float64, v.k)
		v.fromRow.leftOut(c.p, j)
	}
}

// suppose judges rows that a fault makes.
func (v *view) suppose(way int, f fault, nodes, at []int32, rng *rand.Rand) error {
	rows := make([]row, len(nodes))
	var own row
	for r, i := range nodes {
		v.columns.read(&own, int(i))
		f(&rows[r], &own, v.columns, rng)
	}
	m, err := v.columns.matrix(len(rows), func(to *row, i int) { *to = rows[i] })
	if err != nil {
		return err
	}
	z := v.code.encode(m)
	a, p := v.shape.coordinates(z), numbers{}
	if v.fromRow != nil {
		p = v.fromRow.coordinates(z)
	}
	s := v.places()
	for r, i := range nodes {
		s.at(int(i))
		c := &candidate{raw: rows[r], z: z.at(r), energy: v.shape.energy(int(i), a.at(r))}
		v.columns.read(&c.home, int(i))
		if v.fromRow != nil {
			c.p = make([]float64, v.k)
			v.fromRow.instead(c.p, int(i), p.at(r))
			soften(c.p, v.fromRow.sharp)
		}
		v.rows.suppose(way, at[r], s.rowTerms(c))
	}
	return nil
}
