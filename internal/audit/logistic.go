package audit

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
)

// crossValidated are probabilities of classes by multinomial logistic regressions with ½‖W‖² beside the sum of cross
// entropies, each on four of five folds of the labelled nodes.
func crossValidated(d Data, z numbers, scale mat.Real, seed uint64) (numbers, error) {
	p := newNumbers(z.rows, d.Classes)
	x, err := featuresOf(z, scale)
	if err != nil {
		return p, err
	}
	labels := make([]int32, z.rows)
	for fold := range uint64(5) {
		var teach []int32
		for v, y := range d.Class {
			labels[v] = max(y, 0)
			if y >= 0 && mat.Mix(seed, uint64(v))%5 != fold {
				teach = append(teach, int32(v))
			}
		}
		q, err := logistic(x, labels, teach, d.Classes)
		if err != nil {
			return p, err
		}
		for v := range z.rows {
			if mat.Mix(seed, uint64(v))%5 == fold {
				copy(p.at(v), q.at(v))
			}
		}
	}
	return p, nil
}

// featuresOf is scale·z, sparse where most of it is 0.
func featuresOf(z numbers, scale mat.Real) (input.Features, error) {
	ptr, idx, val, all := []int64{0}, []int32{}, []mat.Real{}, newNumbers(z.rows, z.cols)
	for i := range z.rows {
		for k, v := range z.at(i) {
			if all.at(i)[k] = scale * v; v != 0 {
				idx, val = append(idx, int32(k)), append(val, scale*v)
			}
		}
		ptr = append(ptr, int64(len(idx)))
	}
	if 4*len(val) > len(z.v) {
		return input.Dense(all.dense()), nil
	}
	s, err := mat.NewSparse(z.rows, z.cols, ptr, idx)
	return input.Sparse(s, mat.FromSlice(len(val), 1, val)), err
}

// logistic is a logistic regression taught by some rows, and its probabilities for all.
func logistic(x input.Features, labels, teach []int32, classes int) (numbers, error) {
	net := input.NewLinear("w", x.Shape().Cols, classes, 1)
	z := net.Forward(input.Evaluation(), x)
	loss := z.CrossEntropy(mat.MustIndex(labels, classes), mat.MustIndex(teach, x.Shape().Rows))
	how := optim.Config{Rate: 0.1, Schedule: "cosine", Decay: 1 / float64(len(teach))}
	if err := descend(loss, net.Params(), how, 80); err != nil {
		return numbers{}, err
	}
	q := z.Softmax()
	last := ad.Compile(q)
	if err := last.Run(); err != nil {
		return numbers{}, err
	}
	return host(last.Value(q)), nil
}
