package pair

import "github.com/bloomgml/bloom/mat"

// drawn holds the inputs of a batch: joined pairs first, then pairs that are not joined.
type drawn struct {
	inputs
	positives, rows int
	order           []int32 // of the training pairs in an epoch
	epoch           int     // that order is of
}

// newDrawn has room for a batch.
func newDrawn(m *model) drawn {
	positives := len(m.split.train) / m.Config.Pairs.Batches
	rows := positives * (1 + m.Config.Pairs.Negatives)
	return drawn{inputs: m.newInputs(rows), positives: positives, rows: rows, order: make([]int32, len(m.split.train))}
}

// target returns 1 for joined pairs and 0 for the others.
func (d *drawn) target() *mat.Dense {
	y := make([]mat.Real, d.rows)
	for i := range d.positives {
		y[i] = 1
	}
	return mat.FromSlice(d.rows, 1, y)
}

// fill fills the rows of part i of an epoch and hides its pairs. Everything is a function of seed, epoch and i.
func (d *drawn) fill(seed uint64, epoch, i int) {
	m := d.m
	if d.epoch != epoch {
		for k := range d.order {
			d.order[k] = int32(k)
		}
		shuffle(d.order, mat.Mix(mat.Mix(seed, hashOrder), uint64(epoch)))
		d.epoch = epoch
	}
	part := d.order[i*d.positives : (i+1)*d.positives]
	m.hide(part)
	key := mat.Mix(mat.Mix(mat.Mix(seed, hashFalse), uint64(epoch)), uint64(i))
	for k := range d.rows {
		p := m.split.train[part[k%d.positives]]
		if k >= d.positives {
			p = m.negative(p, mat.Mix(key, uint64(k)))
		}
		d.put(k, p)
	}
}

// tries is how many times a pair is drawn before one that may be joined is accepted.
const tries = 32

// negative returns a pair that no training edge joins: hard, two steps away from an end of p, or any.
func (m *model) negative(p pair, random uint64) pair {
	n := m.split.old
	hard := float64(mat.Mix(random, 0)>>11)/(1<<53) < m.Config.Pairs.Hard
	for try := uint64(1); try <= tries; try++ {
		x := mat.Mix(random, try)
		q, ok := randomPair(n, x)
		if hard && try <= tries/2 {
			q, ok = m.near.twoSteps(p, x)
		}
		if ok && !m.split.taught[q] {
			return q
		}
	}
	q, _ := randomPair(n, random)
	return q
}

// twoSteps returns an end of p and a neighbour of one of its neighbours.
func (a *neighbours) twoSteps(p pair, random uint64) (pair, bool) {
	u := p.u
	if random&1 == 1 {
		u = p.v
	}
	w, ok := a.randomNeighbour(u, mat.Mix(random, 1))
	if !ok {
		return p, false
	}
	v, ok := a.randomNeighbour(w, mat.Mix(random, 2))
	return newPair(u, v), ok && u != v
}
