package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/bloomgml/bloom/internal/inspect"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/mat"
)

// printEnergy writes a report for people, with fewer steps for a terminal.
func printEnergy(w io.Writer, p show.Paint, thin bool, f *inspect.Report) {
	fmt.Fprintln(w, strings.TrimSpace(p.Strong(f.Recipe)+"  "+f.Summary))
	sum := func(terms []string, plus string) string { return cmp.Or(strings.Join(terms, plus), "0") }
	s := show.Section{Title: "Energy"}
	if f.Source != "" {
		s.Title += "  (" + f.Source + ")"
	}
	s.Add("ℓ(H)", "Σ_(u,r,v)∈E f(h_u, h_v; r) + Σ_v [ κ(h_v; x_v) + η(h_v) ]")
	s.Add("f", sum(f.Formula.F, "  +  "))
	s.Add("κ", sum(f.Formula.Kappa, "  +  "))
	s.Add("η", f.Formula.Eta)
	s.Add("where", f.Formula.Where...)
	s.Write(w, p)
	s = show.Section{Title: "Layer: one step of " + f.Descent}
	s.Add("message", "μ  = ∂f/∂h_v = "+sum(f.Layer.Message, " + "), "μ⁻ = ∂f/∂h_u = "+sum(f.Layer.Inverse, " + "))
	s.Add("aggregate", f.Layer.Aggregate...)
	s.Add("update", f.Layer.Update...)
	s.Add("where", f.Layer.Where...)
	s.Write(w, p)
	checksOf(f, p).Write(w, p)
	if len(f.Trace) > 0 {
		writeTrace(w, p, thin, f)
	}
	if len(f.Levels) > 0 {
		fmt.Fprintf(w, "\n%s\n  %s\n", p.Strong("Energy per level, untrained, on a random graph with features"),
			p.Dim(fmt.Sprintf("%5s  %12s  %12s  %10s", "level", "before", "after", "change")))
	}
	for _, l := range f.Levels {
		first, last := l.Energy[0], l.Energy[len(l.Energy)-1]
		fmt.Fprintf(w, "  %5d  %12.6g  %12.6g  %10.2e\n", l.Level, first, last, last-first)
	}
}

func checksOf(f *inspect.Report, p show.Paint) *show.Section {
	g, b := f.Graph, f.Bound
	s := &show.Section{Title: "Checks"}
	kind := g.Kind
	if g.Relations > 1 {
		kind += fmt.Sprintf(", %d relations", g.Relations)
	}
	s.Add("graph", fmt.Sprintf("%d nodes, %d edges, %s; d = %d; seed %d; float%d", g.Nodes, g.Edges, kind, g.Dim,
		g.Seed, f.RealBits))
	verdict := p.Good("ok")
	if !f.Gradient.OK {
		verdict = p.Bad("FAILED")
	}
	s.Add("gradient", fmt.Sprintf("%s  error %.1e against finite differences (limit %.0e), %.1e against the plain form",
		verdict, f.Gradient.Error, f.Gradient.Limit, f.Gradient.Plain))
	if b.Gamma == 0 {
		why := b.Advice
		if b.Term != "" {
			why = b.Term + " has no curvature bound; " + b.Advice
		}
		s.Add("step", p.Warn("none")+"  no γ is certified: "+why)
		return s
	}
	why := "γ·Lip ≤ 2, η is convex"
	if !b.Convex {
		why = "γ·Lip ≤ 1, η is not convex"
	}
	s.Add("step", fmt.Sprintf("γ ≤ %.4g is certified not to raise the energy (%s)", b.Gamma, why))
	if b.Advice != "" {
		s.Add("", b.Advice)
	}
	return s
}

// writeTrace writes the energy per step: about 16 of many steps for a terminal, a file gets all.
func writeTrace(w io.Writer, p show.Paint, thin bool, f *inspect.Report) {
	first, last := f.Trace[0], f.Trace[len(f.Trace)-1]
	fmt.Fprintf(w, "\n%s  %.5g → %.5g in %d steps\n", p.Strong("Energy per step"), first.Energy, last.Energy, last.Step)
	fmt.Fprintf(w, "  %s\n", p.Dim(fmt.Sprintf("%5s  %12s  %12s  %12s  %10s", "step", "energy", "Σ f",
		"Σ κ + η", "change")))
	before := first
	for i, s := range f.Trace {
		change := ""
		if i > 0 {
			change = fmt.Sprintf("%10.2e", s.Energy-before.Energy)
			if s.Energy > before.Energy {
				change = p.Warn(change)
			}
		}
		before = s
		if every := (len(f.Trace) + 15) / 16; thin && i%every != 0 && i != len(f.Trace)-1 {
			continue
		}
		line := fmt.Sprintf("%5d  %12.6g  %12.6g  %12.6g  %s", s.Step, s.Energy, s.F, s.Kappa+s.Eta, change)
		fmt.Fprintf(w, "  %s\n", strings.TrimRight(line, " "))
	}
}

func printJudgement(w io.Writer, p show.Paint, j *inspect.Judgement) {
	s := show.Section{Title: "Gradient representation criteria"}
	zeta := "μ = ∂ζ/∂h_v and μ⁻ = ∂ζ/∂h_u, with ζ = " + j.Zeta
	if j.Phi {
		s.Title += ", with Φ"
		zeta = "μ = ∂ζ/∂z at z = h_v Φ and μ⁻ = ∂ζ/∂z at z = h_u Φ, with ζ = " + j.Zeta
	}
	s.Title += "  (def:grad_rep_criteria)"
	s.Add("message", "μ_(u→v)  = "+j.Formula, "μ⁻_(v→u) = "+j.Inverse)
	x := j.Worst
	if j.Holds {
		s.Add("verdict", p.Good("holds")+"  "+zeta)
		s.Add("checked", fmt.Sprintf("derivatives agree to %.1e at %d random points, float%d",
			math.Abs(x.LeftValue-x.RightValue), j.Points, j.RealBits))
	} else {
		needed := "0 is needed"
		if x.Right != "" {
			needed = fmt.Sprintf("%s = %.4g", x.Right, x.RightValue)
		}
		s.Add("verdict", p.Bad("fails")+"  no energy has these messages as its gradient")
		s.Add("entry", fmt.Sprintf("i = %d, j = %d", x.I, x.J))
		s.Add("", fmt.Sprintf("%s = %.4g", x.Left, x.LeftValue), needed)
		s.Add("at", "h_u = "+vector(x.Hu), "h_v = "+vector(x.Hv))
	}
	fmt.Fprintln(w, p.Strong(j.Message))
	s.Write(w, p)
}

func vector(x []mat.Real) string {
	list := make([]string, len(x))
	for i, v := range x {
		list[i] = fmt.Sprintf("%.3f", v)
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// isDrawing recognises the drawings that bloom writes.
var isDrawing = beginsWith(show.ChartBeginning)

// traceCurves returns the energy and its terms; a term that is 0 at every step is left out.
func traceCurves(steps []inspect.Step) []show.Curve {
	var curves []show.Curve
	for i, term := range []struct {
		name  string
		value func(inspect.Step) float64
	}{
		{"energy", func(s inspect.Step) float64 { return s.Energy }},
		{"edges, f", func(s inspect.Step) float64 { return s.F }},
		{"nodes, κ", func(s inspect.Step) float64 { return s.Kappa }},
		{"constraint, η", func(s inspect.Step) float64 { return s.Eta }},
	} {
		curve := show.Curve{Name: term.name, Ink: show.Series(i), Dash: i > 0, Marks: i == 0}
		zero := true
		for _, s := range steps {
			y := term.value(s)
			zero = zero && y == 0
			curve.X, curve.Y = append(curve.X, float64(s.Step)), append(curve.Y, y)
		}
		if i == 0 || !zero {
			curves = append(curves, curve)
		}
	}
	return curves
}
