package mat

import "fmt"

// NewBatchTriples returns an empty list with room for n triples, on the default device. Update replaces the triples and
// may change their number; Len returns the capacity.
func NewBatchTriples(bounds [3]int, n int) *Triples {
	if n < 0 || min(bounds[0], bounds[1], bounds[2]) < 0 || n > 0 && min(bounds[0], bounds[1], bounds[2]) == 0 {
		panic(fmt.Sprintf("mat: NewBatchTriples: %d triples below %v", n, bounds))
	}
	return newBatchTriples(Default(), bounds, n)
}

// newBatchTriples fills the whole capacity once, to make the device allocate it, and then empties the list.
func newBatchTriples(dev Device, bounds [3]int, n int) *Triples {
	var ids [3][]int32
	for r := range ids {
		ids[r] = make([]int32, n)
	}
	t := newTriples(dev, bounds, ids)
	t.batch = true
	t.set([3][]int32{})
	return t
}

// Update makes the triples (ids[0][e], ids[1][e], ids[2][e]) the new list of a batch. They must be in the order
// of their first number. It keeps a copy and allocates nothing. The error, after which nothing has
// changed, is for more triples than there is room for, for a number that is not below its bound, and
// for a wrong order.
func (b *Triples) Update(ids [3][]int32) error {
	b.mustRefill("Triples")
	if len(ids[0]) > b.n {
		return fmt.Errorf("mat: %d triples in a batch with room for %d", len(ids[0]), b.n)
	}
	for r := range ids {
		if len(ids[r]) != len(ids[0]) {
			return fmt.Errorf("mat: triples from lists of %d and %d numbers", len(ids[0]), len(ids[r]))
		}
		if err := checkRange(ids[r], b.bounds[r]); err != nil {
			return fmt.Errorf("mat: number %d of the triples: %w", r, err)
		}
	}
	if err := checkOrder(ids[0]); err != nil {
		return err
	}
	b.set(ids)
	return nil
}

// checkOrder returns an error for ids, all at least 0, of which one is smaller than the one before.
func checkOrder(ids []int32) error {
	falls, before := int32(0), int32(0)
	for _, id := range ids {
		falls |= id - before
		before = id
	}
	for e := 1; falls < 0 && e < len(ids); e++ {
		if ids[e] < ids[e-1] {
			return fmt.Errorf("mat: triple %d begins with %d after %d", e, ids[e], ids[e-1])
		}
	}
	return nil
}

// set is Update without checks.
func (t *Triples) set(ids [3][]int32) {
	for r := range ids {
		t.ids[r] = append(t.ids[r][:0], ids[r]...)
	}
	t.dev.UpdateTriples(t.buf, t.ids)
	t.derived.Lock()
	defer t.derived.Unlock()
	if t.numbers != nil {
		t.number()
	}
	if t.first != nil {
		t.first.refill(t.ids[0])
	}
}

// number refills t.numbers.
func (t *Triples) number() {
	n := len(t.ids[0])
	ids := [3][]int32{t.numbers.ids[0][:n], t.ids[1], t.ids[2]}
	for r := 1; r < 3; r++ {
		t.numbers.ids[r] = append(t.numbers.ids[r][:0], ids[r]...)
	}
	t.numbers.ids[0] = ids[0]
	t.dev.UpdateTriples(t.numbers.buf, ids)
}

// refill makes ids, and zeros behind them, the ids of an index that belongs to a batch.
func (x *Index) refill(ids []int32) {
	clear(x.ids[copy(x.ids, ids):])
	x.dev.UpdateIndex(x.buf, x.ids)
}
