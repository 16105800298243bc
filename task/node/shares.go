package node

import (
	"cmp"
	"math"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// ColumnShare says how much more energy and pull a row's features have than if one number of the row were its usual
// value. It is an exact difference: all other numbers and the row of H stay as they are. If π is linear and κ
// quadratic, the pulls of all columns add up to the pull of the row minus the pull of a usual row. The JSON keys are
// stable.
type ColumnShare struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"` // in the unit of the table that it comes from
	Usual  float64 `json:"usual"` // the mean of all nodes; 0 if most are 0
	Energy float64 `json:"energy"`
	Pull   float64 `json:"pull"`
	Number int     `json:"column"`
}

// At most tried columns are tried, the ones farthest from their usual value, and at most told are returned.
const (
	tried = 64
	told  = 12
)

// OwnEnergy returns, for each row of pi, the energy and the pull of the features of a node if π of its row were that
// row.
type OwnEnergy func(pi *mat.Dense) (energies, pulls []float64, err error)

// NodeShares returns the columns of node v that pull most, the largest pull first; none for a task whose π is not a
// function of the row alone (Task.Project).
func (t *Task) NodeShares(in *bloom.Inspection, v int32) ([]ColumnShare, error) {
	kind, at := 0, int(v)
	if types := t.Data.Graph.NodeTypes(); types != nil {
		kind = int(types[v])
		at, _ = slices.BinarySearch(t.Data.Graph.NodesOfType(int32(kind)), v)
	}
	all := t.Features(kind)
	if all.Cols == 0 {
		return nil, nil
	}
	x := make([]mat.Real, all.Cols)
	all.Row(x, at)
	return t.RowShares(kind, x, func(pi *mat.Dense) ([]float64, []float64, error) { return in.Own(v, pi) })
}

// RowShares is NodeShares for a feature row of a node type; π is computed again for every column.
func (t *Task) RowShares(kind int, x []mat.Real, own OwnEnergy) ([]ColumnShare, error) {
	first := 0
	for k := range kind {
		first += t.Features(k).Cols
	}
	all := t.Columns()[first:]
	which := unusual(all, x)
	if len(which) == 0 {
		return nil, nil
	}
	rows := dataset.Matrix{Rows: 1, Cols: len(x), Values: slices.Clone(x)}
	for i, j := range which {
		rows.AppendRow(x)
		rows.Values[(i+1)*rows.Cols+j] = mat.Real(all[j].Usual)
	}
	pi, err := t.Project(kind, rows)
	if err != nil || pi == nil {
		return nil, err
	}
	energies, pulls, err := own(pi)
	if err != nil {
		return nil, err
	}
	list := make([]ColumnShare, len(which))
	for i, j := range which {
		c := all[j]
		list[i] = ColumnShare{Name: c.Name, Value: c.Mean + c.SD*float64(x[j]), Usual: c.Mean + c.SD*c.Usual,
			Energy: energies[0] - energies[i+1], Pull: pulls[0] - pulls[i+1], Number: first + j}
	}
	slices.SortStableFunc(list, func(a, b ColumnShare) int { return cmp.Compare(math.Abs(b.Pull), math.Abs(a.Pull)) })
	return list[:min(told, len(list))], nil
}

// unusual returns the columns of a row to try.
func unusual(all []Column, x []mat.Real) []int {
	var list []int
	for j, value := range x {
		if float64(value) != all[j].Usual {
			list = append(list, j)
		}
	}
	if len(list) > tried {
		far := func(j int) float64 { return math.Abs(float64(x[j])-all[j].Usual) / max(all[j].Spread, 1e-12) }
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(far(b), far(a)) })
		list = list[:tried]
	}
	return list
}
