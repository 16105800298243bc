package audit

import (
	"math"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// view is the world as one fold of its nodes is judged by: a code that comes from the rows of the other folds, and
// quadratic upper levels from which every node is left out when it is judged.
type view struct {
	*world
	*code
	z         numbers     // codes of rows
	heard     numbers     // the same, zeros where the row is not usual
	mean      numbers     // M heard
	near, far numbers     // the same and two steps away, of length 1 for bags
	fromRow   *classifier // class from the row
	fromHood  *classifier // class from the neighbourhood
	fromBoth  *classifier // class from both
	rowFrom   *quadratic  // the row from the neighbourhood
	shape     *quadratic  // which columns go together: (z − m)ᵀ G⁻¹ (z − m) is small for rows like others
	spread    []float64   // mean square of its leave-one-out error, a column
}

func (w *world) view(f int32) (*view, error) {
	v := &view{world: w}
	if w.columns == nil {
		v.sketch()
	} else if err := v.encode(f); err != nil {
		return nil, err
	}
	v.heard = v.z
	if slices.Contains(w.usual, false) {
		v.heard = newNumbers(v.n, v.z.cols)
		for i, ok := range w.usual {
			if ok {
				copy(v.heard.at(i), v.z.at(i))
			}
		}
	}
	v.near = w.hood.average(v.heard)
	v.far = w.hood.further(v.near, v.heard)
	v.mean = v.near
	if w.columns == nil || w.columns.bag {
		v.near, v.far = v.near.unit(), v.far.unit()
	}
	context := []numbers{v.near, v.far, w.place}
	if w.k > 1 {
		context = append(context, w.votes, w.beyond)
	}
	v.learn(join(context...))
	return v, nil
}

// learn finds the upper levels, around being what is known of neighbourhoods.
func (v *view) learn(around numbers) {
	hood := newDesign(around, v.usual)
	if v.k > 1 {
		v.fromHood = newClassifier(hood.taughtBy(around, v.known), v.onehot)
	}
	if v.columns == nil {
		return
	}
	own := newDesign(v.z, v.usual)
	v.shape = newShape(own)
	if v.k > 1 {
		known := slices.Clone(v.known)
		for i, ok := range v.usual {
			known[i] = known[i] && ok
		}
		v.fromRow = newClassifier(own.taughtBy(v.z, known), v.onehot)
		v.fromBoth = newClassifier(newDesign(join(v.z, around), known), v.onehot)
	}
	v.predictRows(hood)
}

// taughtBy returns a design of z, the z of d, taught by other nodes.
func (d *design) taughtBy(z numbers, teaches []bool) *design {
	if slices.Equal(d.teaches, teaches) {
		return d
	}
	return newDesign(z, teaches)
}

// sketch gives every node a random code, so that a neighbourhood is identified by its members.
func (v *view) sketch() {
	v.z = normal(v.n, v.codeWidth, 1/math.Sqrt(float64(v.codeWidth)), mat.Mix(v.Seed, 11))
}

// encode makes the code of the other folds, and the codes of all rows.
func (v *view) encode(f int32) error {
	m := v.scaled
	if v.folds > 1 {
		var others []int
		for i, g := range v.fold {
			if g != f && v.usual[i] {
				others = append(others, i)
			}
		}
		step := (len(others) + sampled - 1) / sampled
		var err error
		m, err = v.columns.matrix(len(others)/step, func(r *row, i int) { v.columns.read(r, others[i*step]) })
		if err != nil {
			return err
		}
	}
	v.code = newCode(m, v.codeWidth, mat.Mix(v.Seed, uint64(f)))
	v.z = v.code.encode(v.scaled)
	return nil
}

// predictRows learns x̂ V from the neighbourhood.
func (v *view) predictRows(around *design) {
	y := newNumbers(v.n, v.linear)
	for i := range v.n {
		copy(y.at(i), v.z.at(i)[:v.linear])
	}
	v.rowFrom = newQuadratic(around, y, squared)
	v.spread = make([]float64, v.linear)
	out := make([]float64, v.linear)
	for _, i := range around.own {
		v.rowFrom.leaveOut(out, int(i))
		for k, x := range out {
			e := x - float64(y.at(int(i))[k])
			v.spread[k] += e * e / around.n
		}
	}
}
