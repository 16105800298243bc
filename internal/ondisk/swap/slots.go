package swap

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// arrange goes to the slots of stage s: parts that leave are written, one may move, those that come are read.
func (t *Trainer) arrange(s int) error {
	from, to := make([]int, t.plan.Buffer), t.stages[s].slots
	for k := range from {
		if from[k] = -1; t.at >= 0 {
			from[k] = t.stages[t.at].slots[k]
		}
	}
	for k, part := range from {
		if part >= 0 && !slices.Contains(to, part) {
			if err := t.save(k, part); err != nil {
				return err
			}
		}
	}
	t.at, t.turn = -1, -1 // until all is in place
	for k, part := range to {
		if was := slices.Index(from, part); was >= 0 && was != k {
			for _, m := range t.matrices() {
				mat.Gather(t.part, m, t.rows[was])
				mat.Scatter(m, t.part, t.rows[k])
			}
			t.dirty[k] = t.dirty[was]
		}
	}
	for k, part := range to {
		if !slices.Contains(from, part) {
			if err := t.load(k, part); err != nil {
				return err
			}
		}
	}
	t.at = s
	return nil
}

// matrices are embeddings and what is remembered of them.
func (t *Trainer) matrices() []*mat.Dense {
	return append([]*mat.Dense{t.Model().H.Value()}, t.memory...)
}

// save writes a slot where it has changed.
func (t *Trainer) save(slot, part int) (err error) {
	if !t.dirty[slot] {
		return nil
	}
	all := t.matrices()
	mat.Gather(t.part, all[0], t.rows[slot])
	if err := t.part.CheckFinite(); err != nil {
		return &train.NotFinite{Epoch: t.epoch, What: "the weight " + t.Model().H.Name, Err: err}
	}
	err = t.files.write(part, func(i int) []mat.Real {
		mat.Gather(t.part, all[i], t.rows[slot])
		t.part.Read(t.host)
		return t.host
	})
	t.dirty[slot] = err != nil
	return err
}

// load reads a part into a slot; one that has no file begins.
func (t *Trainer) load(slot, part int) error {
	all := t.matrices()
	t.dirty[slot] = false
	if version := t.files.now[part]; version > 0 {
		return t.files.read(part, version, len(all), t.host, func(i int) {
			t.part.Write(t.host)
			mat.Scatter(all[i], t.part, t.rows[slot])
		})
	}
	t.config.Start(t.part, part)
	mat.Scatter(all[0], t.part, t.rows[slot])
	clear(t.host)
	t.part.Write(t.host)
	for _, m := range t.memory {
		mat.Scatter(m, t.part, t.rows[slot])
	}
	return nil
}

// Pieces is how many parts there are.
func (t *Trainer) Pieces() int { return t.plan.Parts }

// Piece is the embeddings of a part as they are now.
func (t *Trainer) Piece(part int, to *mat.Dense) (first, n int, err error) {
	first = part * t.plan.Rows()
	n = min(t.plan.Rows(), t.plan.Entities-first)
	if t.at >= 0 {
		if slot := slices.Index(t.stages[t.at].slots, part); slot >= 0 {
			mat.Gather(to, t.Model().H.Value(), t.rows[slot])
			return first, n, nil
		}
	}
	if version := t.files.now[part]; version > 0 {
		return first, n, t.files.read(part, version, 1, t.host, func(int) { to.Write(t.host) })
	}
	t.config.Start(to, part)
	return first, n, nil
}
