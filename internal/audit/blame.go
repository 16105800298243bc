package audit

import (
	"cmp"
	"math"
	"slices"
)

// Row is the row of a node, judged.
type Row struct {
	Verdict
	Node    int32
	Speaks  int32    // the class that the row suggests, −1 without classes
	Columns []Column // to blame, the largest share first; of the first rows only
}

// Column is a number of a row, next to what the neighbourhood predicts there.
type Column struct {
	Column   int
	Value    float64 // as it came
	Expected float64 // in the same unit
	Share    float64 // of the energy of the row against its neighbourhood
}

// sizes returns the terms that are sizes: the first ones.
func (w *world) sizes() int {
	switch {
	case w.measures != nil:
		return 12
	case w.columns.bag:
		return 10
	}
	return 5
}

// rankRows fills the ranking and returns the share of wrong ones.
func (w *world) rankRows(r *Report) (Share, error) {
	w.rows.fence(w.sizes(), w.random(400))
	w.rows.lawful = true
	w.rows.untold, w.rows.broad = untoldRows, [2]int{1, 4} // all but another node's row and single numbers
	if w.columns.bag {
		w.rows.broad = [2]int{2, 5} // and shuffled columns, which have one unit; numbers among words are few
	}
	if w.k > 1 {
		w.rows.simplest = w.sizes() // log p(class | row)
	}
	verdicts, err := w.rows.verdicts(w.Seed)
	if err != nil {
		return Share{}, err
	}
	for k, v := range w.rows.thing {
		row := Row{Verdict: verdicts.judgement(k), Node: v, Speaks: -1}
		if w.k > 1 {
			row.Speaks = argmax(w.said.at(int(v)))
		}
		r.Rows = append(r.Rows, row)
	}
	ranked(r.Rows, func(x Row) Verdict { return x.Verdict })
	explained := cmp.Or(w.Explained, 200)
	for k := range r.Rows[:min(explained, len(r.Rows))] {
		r.Rows[k].Columns = w.blame(int(r.Rows[k].Node))
	}
	return verdicts.share(), nil
}

// keep keeps what neighbourhoods predict of the rows of a fold.
func (v *view) keep(f int32) {
	for i, g := range v.fold {
		if g == f {
			v.expected[i] = make([]float64, v.linear)
			v.rowFrom.leaveOut(v.expected[i], i)
		}
	}
}

// blame takes the energy of the row of node i apart: column j has (x̂_j − E_j)² / var_j of it, E being what the
// neighbourhood predicts, so columns of any scale are comparable.
func (w *world) blame(i int) []Column {
	var raw, scaled row
	w.columns.read(&raw, i)
	w.columns.scale(&scaled, &raw)
	expected := w.unfold(i)
	list, total := make([]Column, 0, len(expected)), 0.0
	for j, e := range expected {
		x := scaled.at(int32(j)) - e
		energy := x * x / w.columns.variance(j)
		list = append(list, Column{j, raw.at(int32(j)), w.columns.unscale(j, e, &raw), energy})
	}
	if w.measures != nil {
		w.measured(i, &raw, list)
	}
	for _, c := range list {
		total += c.Share
	}
	slices.SortStableFunc(list, func(a, b Column) int { return cmp.Compare(b.Share, a.Share) })
	list = slices.Clone(list[:min(cmp.Or(w.Options.Columns, 5), len(list))])
	for k := range list {
		list[k].Share /= math.Max(total, 1e-12)
	}
	return list
}

// measured corrects the energies of columns if there are measures: measures have their own, and no other column is
// more surprising than it is rare, −2 log of the share of rows that are the same there.
func (w *world) measured(i int, raw *row, list []Column) {
	m := w.measures
	for j := range list {
		f := w.columns.frequency(int32(j), 0)
		if raw.at(int32(j)) == 0 {
			f = 1 - f
		}
		list[j].Share = min(list[j].Share, -2*math.Log(max(f, 1e-9)))
	}
	want := make([]float64, len(m.columns))
	m.from.leaveOut(want, i)
	for k, j := range m.columns {
		list[j].Expected, list[j].Share = m.middle[k]+m.scale[k]*want[k], 0
		if list[j].Value != 0 {
			list[j].Share = m.energy(k, list[j].Value, want[k])
		}
	}
}

// unfold is x̂ as the neighbourhood of node i predicts it: the code times Vᵀ.
func (w *world) unfold(i int) []float64 {
	basis := w.bases[w.fold[i]]
	if basis.cols == 0 {
		return w.expected[i]
	}
	x := make([]float64, basis.rows)
	for j := range x {
		for k, e := range w.expected[i] {
			x[j] += e * float64(basis.at(j)[k])
		}
	}
	return x
}
