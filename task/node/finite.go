package node

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// tooLarge says why a result is not finite, and what helps.
const tooLarge = "the weights or the features are too large to compute with: train with a smaller train.rate, " +
	"or scale the features (data.scale)"

// finiteRows returns a *train.BadData with the node if m, which has a row per node, contains NaN or Inf.
func (t *Task) finiteRows(what string, m *mat.Dense) error {
	if m == nil || !marked(m) {
		return nil
	}
	for i, x := range m.Slice() {
		if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) {
			return t.notFinite(what, i/m.Cols(), v)
		}
	}
	return nil
}

// finiteNumbers does the same for one number per node.
func (t *Task) finiteNumbers(what string, numbers []float64) error {
	for i, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return t.notFinite(what, i, x)
		}
	}
	return nil
}

func (t *Task) notFinite(what string, row int, x float64) error {
	return &train.BadData{Data: t.Data.Name, Text: fmt.Sprintf("%s %d is %g: %s", what, row, x, tooLarge)}
}

// marked reports whether any of some matrices, all on one device, contains NaN or Inf.
func marked(all ...*mat.Dense) bool {
	flag := mat.New(1, 1)
	for _, m := range all {
		mat.MarkNonFinite(flag, m, 1)
	}
	return flag.Item() != 0
}

// Advice proposes the step size that is never too long, if the run uses another.
func (t job) Advice() string {
	if t.Stack == nil {
		return ""
	}
	return "energy.descent.gamma=safe, a step that is never too long"
}
