package path

import "github.com/bloomgml/bloom/mat"

// shard is a part of the queries of a batch, one after the other, with the sum of their derivatives. How many there
// are depends on the size of batches alone, and so does the order in which everything is added up.
type shard struct {
	loss float64
	sums []*mat.Dense // by parameter of perQuery.inner
	err  error
}

// shards are the parts of a batch, which a mat.Task processes.
type shards struct {
	*perQuery
	list []*shard
}

// mostShards is enough for 16 threads, and few enough to add them up.
const mostShards = 16

func newShards(t *perQuery) *shards {
	ls := &shards{perQuery: t}
	for range min(mostShards, t.Model.Batch) {
		l := &shard{}
		for _, i := range t.inner {
			p := t.Model.params[i]
			l.sums = append(l.sums, mat.New(p.Rows(), p.Cols()))
		}
		ls.list = append(ls.list, l)
	}
	return ls
}

// Do takes the queries of shard i through a solver.
func (ls *shards) Do(i int) {
	l, n := ls.list[i], len(ls.batch.queries)
	from, to := i*n/len(ls.list), (i+1)*n/len(ls.list)
	l.loss, l.err = 0, nil
	for _, s := range l.sums {
		if from == to {
			mat.Fill(s, 0)
		}
	}
	s := ls.solvers.get()
	defer ls.solvers.put(s)
	for k := from; k < to && l.err == nil; k++ {
		l.err = ls.query(l, s, k, k == from)
	}
}

// query adds query k to a shard.
func (ls *shards) query(l *shard, s *solver, k int, first bool) error {
	ls.vectors.copyTo(s, k)
	p, err := s.solve(ls.batch.queries[k], ls.batch.answersOf(k))
	if err != nil {
		return err
	}
	ls.vectors.collect(p, k)
	l.loss += float64(p.prog.Value(p.loss).Item())
	for i, g := range p.grads {
		if first {
			mat.Copy(l.sums[i], g)
		} else {
			mat.Axpby(l.sums[i], l.sums[i], g, 1, 1)
		}
	}
	return nil
}

// total returns the loss of all shards; their derivatives go to the trainer's sums.
func (ls *shards) total() (float64, error) {
	loss := 0.0
	for k, l := range ls.list {
		if l.err != nil {
			return 0, l.err
		}
		loss += l.loss
		for j, i := range ls.inner {
			if k == 0 {
				mat.Copy(ls.sums[i], l.sums[j])
			} else {
				mat.Axpby(ls.sums[i], ls.sums[i], l.sums[j], 1, 1)
			}
		}
	}
	return loss, nil
}
