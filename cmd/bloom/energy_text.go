package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/bloomgml/bloom/internal/inspect"
	"github.com/bloomgml/bloom/internal/terminal"
)

// printEnergy writes a report for people, with plots for a terminal.
func printEnergy(w io.Writer, p terminal.Paint, plots bool, f *inspect.Report) error {
	var text strings.Builder
	text.WriteString(p.Strong(f.Recipe))
	if f.Summary != "" {
		text.WriteString("  " + f.Summary)
	}
	text.WriteString("\n")
	for _, s := range []terminal.Section{formulaOf(f), layerOf(f), checksOf(f, p)} {
		s.Write(&text, p)
	}
	if len(f.Trace) > 0 {
		writeTrace(&text, p, plots, f)
	}
	printLevels(&text, p, f.Levels)
	_, err := io.WriteString(w, text.String())
	return err
}

func formulaOf(f *inspect.Report) terminal.Section {
	s := terminal.Section{Title: "Energy"}
	if f.Source != "" {
		s.Title += "  (" + f.Source + ")"
	}
	s.Add("ℓ(H)", "Σ_(u,r,v)∈E f(h_u, h_v; r) + Σ_v [ κ(h_v; x_v) + η(h_v) ]")
	s.Add("f", strings.Join(orZero(f.Formula.F), "  +  "))
	s.Add("κ", strings.Join(orZero(f.Formula.Kappa), "  +  "))
	s.Add("η", f.Formula.Eta)
	s.Add("where", f.Formula.Where...)
	return s
}

func orZero(list []string) []string {
	if len(list) == 0 {
		return []string{"0"}
	}
	return list
}

func layerOf(f *inspect.Report) terminal.Section {
	s := terminal.Section{Title: "Layer: one step of " + f.Descent}
	s.Add("message", "μ  = ∂f/∂h_v = "+strings.Join(orZero(f.Layer.Message), " + "),
		"μ⁻ = ∂f/∂h_u = "+strings.Join(orZero(f.Layer.Inverse), " + "))
	s.Add("aggregate", f.Layer.Aggregate...)
	s.Add("update", f.Layer.Update...)
	s.Add("where", f.Layer.Where...)
	return s
}

func checksOf(f *inspect.Report, p terminal.Paint) terminal.Section {
	g := f.Graph
	s := terminal.Section{Title: "Checks"}
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
	s.Add("step", boundText(f.Bound, p)...)
	return s
}

func boundText(b inspect.Bound, p terminal.Paint) []string {
	if b.Gamma == 0 && b.Term == "" {
		return []string{p.Warn("none") + "  no γ is certified: " + b.Advice}
	}
	if b.Gamma == 0 {
		return []string{p.Warn("none") + "  no γ is certified: " + b.Term + " has no curvature bound; " + b.Advice}
	}
	why := "γ·Lip ≤ 2, η is convex"
	if !b.Convex {
		why = "γ·Lip ≤ 1, η is not convex"
	}
	text := []string{fmt.Sprintf("γ ≤ %.4g is certified not to raise the energy (%s)", b.Gamma, why)}
	if b.Advice != "" {
		text = append(text, b.Advice)
	}
	return text
}

// writeTrace writes the energy per step: a plot for a terminal, and the numbers.
func writeTrace(text *strings.Builder, p terminal.Paint, plots bool, f *inspect.Report) {
	first, last := f.Trace[0], f.Trace[len(f.Trace)-1]
	fmt.Fprintf(text, "\n%s  %.5g → %.5g in %d steps\n", p.Strong("Energy per step"), first.Energy,
		last.Energy, last.Step)
	if plots {
		values := make([]float64, len(f.Trace))
		for i, s := range f.Trace {
			values[i] = s.Energy
		}
		for _, line := range terminal.Plot(values, 60, 8) {
			fmt.Fprintf(text, "  %s\n", p.Line(line))
		}
		text.WriteString("\n")
	}
	fmt.Fprintf(text, "  %s\n", p.Dim(fmt.Sprintf("%5s  %12s  %12s  %12s  %10s", "step", "energy", "Σ f",
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
		if plots && skipped(i, len(f.Trace)) {
			continue
		}
		line := fmt.Sprintf("%5d  %12.6g  %12.6g  %12.6g  %s", s.Step, s.Energy, s.F, s.Kappa+s.Eta, change)
		fmt.Fprintf(text, "  %s\n", strings.TrimRight(line, " "))
	}
}

// printLevels writes a line for every level of a stack.
func printLevels(text *strings.Builder, p terminal.Paint, levels []inspect.Level) {
	if len(levels) == 0 {
		return
	}
	fmt.Fprintf(text, "\n%s\n  %s\n", p.Strong("Energy per level, untrained, on a random graph with features"),
		p.Dim(fmt.Sprintf("%5s  %12s  %12s  %10s", "level", "before", "after", "change")))
	for _, l := range levels {
		first, last := l.Energy[0], l.Energy[len(l.Energy)-1]
		fmt.Fprintf(text, "  %5d  %12.6g  %12.6g  %10.2e\n", l.Level, first, last, last-first)
	}
}

// skipped leaves about 16 of many rows for a terminal; a file gets all.
func skipped(i, n int) bool {
	every := (n + 15) / 16
	return i%every != 0 && i != n-1
}

// printJudgement writes the verdict on a message function.
func printJudgement(w io.Writer, p terminal.Paint, j *inspect.Judgement) error {
	var text strings.Builder
	s := terminal.Section{Title: "Gradient representation criteria"}
	if j.Phi {
		s.Title += ", with Φ"
	}
	s.Title += "  (def:grad_rep_criteria)"
	s.Add("message", "μ_(u→v)  = "+j.Formula, "μ⁻_(v→u) = "+j.Inverse)
	if j.Holds {
		s.Add("verdict", p.Good("holds")+"  "+zeta(j))
		s.Add("checked", fmt.Sprintf("derivatives agree to %.1e at %d random points, float%d",
			abs(j.Worst.LeftValue-j.Worst.RightValue), j.Points, j.RealBits))
	} else {
		s.Add("verdict", p.Bad("fails")+"  no energy has these messages as its gradient")
		s.Add("entry", fmt.Sprintf("i = %d, j = %d", j.Worst.I, j.Worst.J))
		s.Add("", fmt.Sprintf("%s = %.4g", j.Worst.Left, j.Worst.LeftValue), orNeeded(j.Worst))
		s.Add("at", "h_u = "+vector(j.Worst.Hu), "h_v = "+vector(j.Worst.Hv))
	}
	text.WriteString(p.Strong(j.Message) + "\n")
	s.Write(&text, p)
	_, err := io.WriteString(w, text.String())
	return err
}

// zeta says whose derivatives the messages are.
func zeta(j *inspect.Judgement) string {
	if j.Phi {
		return "μ = ∂ζ/∂z at z = h_v Φ and μ⁻ = ∂ζ/∂z at z = h_u Φ, with ζ = " + j.Zeta
	}
	return "μ = ∂ζ/∂h_v and μ⁻ = ∂ζ/∂h_u, with ζ = " + j.Zeta
}

// orNeeded is the derivative that should be equal, or 0.
func orNeeded(d inspect.Disagree) string {
	if d.Right == "" {
		return "0 is needed"
	}
	return fmt.Sprintf("%s = %.4g", d.Right, d.RightValue)
}

func abs(x float64) float64 { return max(x, -x) }

func vector(x []float64) string {
	list := make([]string, len(x))
	for i, v := range x {
		list[i] = fmt.Sprintf("%.3f", v)
	}
	return "(" + strings.Join(list, ", ") + ")"
}
