package energy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Report is the energy of one H, taken apart. Total is the sum of the totals of all terms and Eta; the total of
// a term is the sum of its rows. Sums have the precision of the matrices.
type Report struct {
	Total    float64
	Eta      float64 // Σ_v η(h_v)
	Edges    []TermReport
	Nodes    []TermReport
	Whole    []TermReport
	Residual *mat.Dense // ‖h_v − π_v‖, n×1: how much a node disagrees with its own features; nil without π
}

// TermReport is one term of a Report.
type TermReport struct {
	Name  string
	Total float64
	Each  *mat.Dense // the energy of every edge, m×1, or node, n×1; of a whole term 1×1
}

// termError is the error for an energy that is not finite.
type termError struct {
	Term string
	Of   string // "edge", "node" or "graph"
	*mat.NonFinite
}

func (e *termError) Error() string {
	return fmt.Sprintf("%s: the energy of %s %d is %v", e.Term, e.Of, e.Row, e.Value)
}

// Unwrap returns the position in the matrix of energies.
func (e *termError) Unwrap() error { return e.NonFinite }

// Report takes the energy of h apart. The error wraps a *mat.NonFinite where an energy is NaN or infinite; η, which
// may be infinite, is not an error.
func (l *Lower) Report(h *mat.Dense) (*Report, error) {
	if n := l.On.Graph.NumNodes(); h.Rows() != n {
		return nil, fmt.Errorf("energy: report of %v for a graph of %d nodes", h.Shape(), n)
	}
	x := ad.Input(h)
	edges, nodes := l.Rows(x, x)
	var whole []ad.Var
	for _, w := range l.Whole {
		whole = append(whole, w.Whole(x))
	}
	outputs := slices.Concat(edges, nodes, whole)
	var residual ad.Var
	if !l.Pi.IsZero() {
		residual = x.Sub(l.Pi).Square().SumCols().Sqrt()
		outputs = append(outputs, residual)
	}
	prog := ad.Compile(outputs...)
	if err := prog.Run(); err != nil {
		return nil, err
	}
	r := &Report{}
	for i, v := range edges {
		r.Edges = append(r.Edges, reportOf(NameOf(l.F[i]), prog.Value(v)))
	}
	for i, v := range nodes {
		r.Nodes = append(r.Nodes, reportOf(NameOf(l.Kappa[i]), prog.Value(v)))
	}
	for i, v := range whole {
		r.Whole = append(r.Whole, reportOf(NameOf(l.Whole[i]), prog.Value(v)))
	}
	if !residual.IsZero() {
		r.Residual = prog.Value(residual)
	}
	if l.Eta != nil {
		r.Eta = l.Eta.Value(h)
	}
	if err := r.add(); err != nil {
		return nil, err
	}
	return r, nil
}

// reportOf sums the rows of a term.
func reportOf(name string, each *mat.Dense) TermReport {
	total := mat.New(1, 1)
	mat.Sum(total, each)
	return TermReport{name, float64(total.Item()), each}
}

// add sums the terms, unless one is not finite.
func (r *Report) add() error {
	r.Total = r.Eta
	for _, part := range []struct {
		terms []TermReport
		of    string
	}{{r.Edges, "edge"}, {r.Nodes, "node"}, {r.Whole, "graph"}} {
		for _, t := range part.terms {
			if err, ok := t.Each.CheckFinite().(*mat.NonFinite); ok {
				return &termError{t.Name, part.of, err}
			}
			r.Total += t.Total
		}
	}
	return nil
}

// NameOf returns what reports and errors call a term: its Name, if it has such a method, else its type with a capital.
func NameOf(t any) string {
	switch t := t.(type) {
	case interface{ Name() string }:
		return t.Name()
	case plainEdges:
		return NameOf(t.EdgeTerm)
	}
	name := fmt.Sprintf("%T", t)
	name = strings.TrimPrefix(name[strings.LastIndexByte(name, '.')+1:], "*")
	return strings.ToUpper(name[:1]) + name[1:]
}
