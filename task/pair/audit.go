package pair

import (
	"cmp"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// folds is how many parts training edges are judged in, each by messages along the others.
const folds = 10

// Audit returns the edges of the graph, the least likely first, each judged as if it were not there: the training
// ones in folds, and the held-out ones.
func (t *Trained) Audit() ([]Scored, error) {
	s := t.job.split
	found, err := t.scored(slices.Concat(s.valid, s.test))
	if err != nil {
		return nil, err
	}
	order := make([]int32, len(s.train))
	for i := range order {
		order[i] = int32(i)
	}
	shuffle(order, mat.Mix(t.job.trial.Seed, hashFold))
	for k := range folds {
		part := order[k*len(order)/folds : (k+1)*len(order)/folds]
		if err := t.job.eval.settle(part...); err != nil {
			return nil, err
		}
		list := make([]pair, len(part))
		for i, id := range part {
			list[i] = s.train[id]
		}
		more, err := t.scored(list)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	slices.SortStableFunc(found, func(a, b Scored) int { return cmp.Compare(a.Probability, b.Probability) })
	return numbered(found), t.job.eval.settle()
}
