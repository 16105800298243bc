package mat

// placed is what lies in the memory of a Device.
type placed struct {
	dev Device
	buf Buffer
}

// Device returns where it lives.
func (p *placed) Device() Device { return p.dev }

// Buffer returns the memory, for its Device. It stays the same when a batch is refilled; a matrix has the first Len
// numbers of it until the next Alias or Free, and a Header that Alias has given none has nil.
func (p *placed) Buffer() Buffer { return p.buf }

// refillable is placed, and may belong to a batch.
type refillable struct {
	placed
	batch bool
}

// Batch reports whether it changes between runs: whether NewBatchIndex, NewBatchSparse, NewBatchTriples or
// NewBatchGroups made it.
func (r *refillable) Batch() bool { return r.batch }

// mustRefill panics if a list must not be changed.
func (r *refillable) mustRefill(list string) {
	if !r.batch {
		panic("mat: Update of a " + list + " that is no batch")
	}
}
