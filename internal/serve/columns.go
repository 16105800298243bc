package serve

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/nodes"
)

// ColumnShare is a number of a row: how much less its features would cost, and pull, if it were what is usual.
type ColumnShare struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"` // in the unit of the table that it comes from
	Usual  float64 `json:"usual"` // the mean of all nodes; 0 where most are 0
	Energy float64 `json:"energy"`
	Pull   float64 `json:"pull"`
	Number int     `json:"column"`
}

// Explanations try so many columns, those that are farthest from what is usual, and name so many.
const (
	triedColumns = 64
	mostColumns  = 12
)

// usual are the columns of features with what is usual in them.
type usual struct {
	list     []nodes.Column
	mean, sd []float64 // as the data set has them
}

// columns are those of the data set, looked at once.
func (g *graph) columns() *usual {
	if g.usual != nil {
		return g.usual
	}
	g.usual = &usual{list: g.task.Columns()}
	u := g.usual
	u.mean, u.sd = make([]float64, len(u.list)), make([]float64, len(u.list))
	if len(u.list) == 0 {
		return u
	}
	x := g.task.Features()
	for v := range x.Rows {
		for j, value := range x.Entries(v) {
			u.mean[j] += float64(value) / float64(x.Rows)
			u.sd[j] += float64(value) * float64(value) / float64(x.Rows)
		}
	}
	for j, m := range u.mean {
		u.sd[j] = math.Sqrt(max(u.sd[j]-m*m, 0))
	}
	if x.IsSparse() {
		clear(u.mean)
	}
	return u
}

// unusual are the columns of a row to try.
func (u *usual) unusual(x []mat.Real) []int {
	var list []int
	for j, value := range x {
		if float64(value) != u.mean[j] {
			list = append(list, j)
		}
	}
	if len(list) > triedColumns {
		far := func(j int) float64 { return math.Abs(float64(x[j])-u.mean[j]) / max(u.sd[j], 1e-12) }
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(far(b), far(a)) })
		list = list[:triedColumns]
	}
	return list
}

// columnShares are the columns of v that pull most: π is taken again for every one of them.
func (g *graph) columnShares(v int32, gradient []mat.Real) ([]ColumnShare, error) {
	u, x := g.columns(), g.features(v)
	tried := u.unusual(x)
	if len(tried) == 0 {
		return nil, nil
	}
	rows := dataset.Matrix{Rows: 1, Cols: len(x), Values: slices.Clone(x)}
	for _, j := range tried {
		rows.AppendRow(x)
		rows.Values[(rows.Rows-1)*rows.Cols+j] = mat.Real(u.mean[j])
	}
	pi, err := g.task.Project(rows)
	if err != nil {
		return nil, err
	}
	p, d := pi.Slice(), pi.Cols()
	is := g.state.Own(v, p[:d])
	var list []ColumnShare
	for i, j := range tried {
		were, f := g.state.Own(v, p[(i+1)*d:(i+2)*d]), u.list[j]
		list = append(list, ColumnShare{Name: f.Name, Value: f.Mean + f.SD*float64(x[j]),
			Usual: f.Mean + f.SD*u.mean[j], Energy: is.Energy - were.Energy,
			Pull: pull(is, gradient) - pull(were, gradient), Number: j})
	}
	slices.SortStableFunc(list, func(a, b ColumnShare) int { return cmp.Compare(math.Abs(b.Pull), math.Abs(a.Pull)) })
	return list[:min(mostColumns, len(list))], nil
}

// features is GET /v1/features?node=ID: the row of a node as set_features takes it, with the names of columns and,
// where that is another, the row that the data set has.
func (s *Server) features(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	g := m.graph
	v, err := g.find(r.URL.Query().Get("node"))
	if err != nil {
		return nil, err
	}
	out := featured{ID: g.id(v), Features: g.features(v), Columns: g.columns().list}
	if _, other := g.rows[v]; other && v < g.known {
		out.Given = g.row(v)
	}
	return out, nil
}
