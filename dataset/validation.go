package dataset

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/internal/random"
)

// WithValidation returns d with new validation nodes: in every split, the given share of the training and validation
// nodes, rounded down, become validation nodes. The draw is uniform, not by class, and a function of seed and the split
// alone. Everything else is shared with d.
func (d *Dataset) WithValidation(share float64, seed uint64) (*Dataset, error) {
	if !(share >= 0 && share < 1) {
		return nil, fmt.Errorf("the share of validation nodes is %v, want 0 ≤ share < 1", share)
	}
	other := *d
	other.Splits, other.DrawnValid = make([]Split, len(d.Splits)), false
	for i, s := range d.Splits {
		other.Splits[i] = s.withValidation(share, seed)
	}
	return &other, nil
}

// withValidation draws the validation nodes from the training and validation nodes. Train and Valid are ascending.
func (s Split) withValidation(share float64, seed uint64) Split {
	pool := slices.Concat(s.Train, s.Valid)
	slices.Sort(pool)
	rng := random.New(seed, random.Splits)
	rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	n := int(share*float64(len(pool)) + 1e-9) // a product such as 28.999…96 stands for 29
	out := Split{Train: pool[n:], Valid: pool[:n:n], Test: s.Test}
	slices.Sort(out.Train)
	slices.Sort(out.Valid)
	return out
}
