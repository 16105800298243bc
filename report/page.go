package report

import (
	_ "embed" // for the templates
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
)

// The page: style.css says what it looks like, the templates what is where.
var (
	//go:embed style.css
	style string
	//go:embed parts.html
	partsHTML string
	//go:embed run.html
	runHTML string
	//go:embed compare.html
	compareHTML string

	parts       = template.Must(template.New("parts").Parse(partsHTML))
	runPage     = template.Must(template.Must(parts.Clone()).New("run").Parse(runHTML))
	comparePage = template.Must(template.Must(parts.Clone()).New("compare").Parse(compareHTML))
)

// Options say what a page shows. The zero value chooses.
type Options struct {
	Node string // the id of the node to draw the graph around; empty for the first that the audit flags
}

// page is what the template of a run is given.
type page struct {
	head
	Tiles    []tile
	Energy   []formula
	Learning []*figure
	Descent  []*figure
	Judged   []*figure
	Near     []*figure

	Confusion matrix
	Data      []fact
	Notes     []string
	Advice    string

	Unaudited string
	Nodes     []nodeRow
	Edges     []edgeRow

	Drawing *figure
	Verdict string
	Pulls   []pull

	Repeat []string
	Config string
}

// head is what pages have in common.
type head struct {
	Title string
	Lead  string
	Style template.CSS
}

// tile is a headline number.
type tile struct{ Name, Value, More string }

// fact is a line of a list.
type fact struct{ Name, Value string }

// formula is a part of the energy.
type formula struct{ Symbol, Text, Where string }

// Page writes the page of a run. The error is a *NoNode where o names a node that is not there.
func (r *Run) Page(w io.Writer, o Options) error {
	v, err := r.centre(o.Node)
	if err != nil {
		return err
	}
	a := r.around(v)
	p := page{
		head:      head{r.title(), r.lead(), template.CSS(style)}, //our own
		Tiles:     r.tiles(),
		Energy:    r.energy(),
		Learning:  r.learning(),
		Descent:   r.descent(),
		Judged:    r.judged(),
		Near:      r.neighbourhoods(),
		Confusion: r.confusion(),
		Data:      r.facts(),
		Notes:     r.notes(),
		Advice:    title(r.Advice.String()) + ".",
		Unaudited: r.Unaudited,
		Drawing:   r.drawing(a),
		Verdict:   r.verdict(v),
		Repeat:    r.repeat(v),
		Config:    string(r.config),
	}
	if r.Audit != nil {
		p.Nodes, p.Edges, p.Pulls = r.flaggedNodes(), r.flaggedEdges(), r.pulls(a.explain)
	}
	return runPage.ExecuteTemplate(w, "run", p)
}

func (r *Run) title() string { return r.Result.Recipe + " on " + r.Result.Data }

// lead is the run in a sentence or two.
func (r *Run) lead() string {
	part, nodes := r.measured()
	s := fmt.Sprintf("%s of the %s %s nodes are classified correctly", percent(r.predictions(nodes).Accuracy()), thousands(len(nodes)), part)
	if n := len(r.Result.Test.Runs); n > 1 {
		s += fmt.Sprintf(" by the best of %d runs, as validation chose it", n)
	}
	s += "."
	if e := r.After; e != nil {
		s += fmt.Sprintf(" Its %d layers are steps of descent on an energy, of which they take %s away; %s.", e.Steps, percent(e.Drop()), r.convergence())
	}
	return s
}

// tiles are the headline numbers.
func (r *Run) tiles() []tile {
	score := func(name string, mean, sd float64, runs int) tile {
		t := tile{name + " " + words(r.Result.Metric), percent(mean), ""}
		if runs > 1 {
			t.More = fmt.Sprintf("± %s over %d runs", percent(sd), runs)
		}
		if runs == 0 {
			t.Value, t.More = "–", "no such nodes"
		}
		return t
	}
	res := r.Result
	tiles := []tile{
		score("Test", res.Test.Mean, res.Test.SD, len(res.Test.Runs)),
		score("Validation", res.Valid.Mean, res.Valid.SD, len(res.Valid.Runs)),
	}
	if r.After != nil {
		tiles = append(tiles, tile{"Energy taken away", percent(r.After.Drop()), fmt.Sprintf("in %d steps", r.After.Steps)},
			tile{"One more step", small(r.After.Residual), "of ‖H‖"})
	}
	return append(tiles, tile{"Weights", thousands(res.Weights), "trained numbers"},
		tile{"Training", duration(res.Seconds), fmt.Sprintf("%s epochs", thousands(res.Epochs))})
}

// energy is the lower level by its formulas; none for a baseline.
func (r *Run) energy() []formula {
	e := r.Trained.Config.Energy
	if e == nil || r.Trained.Model == nil {
		return nil
	}
	var list []formula
	for _, f := range e.F {
		list = append(list, formula{"f", f.Text().F, strings.Join(f.Text().Where, ", ")})
	}
	for _, k := range e.Kappa {
		list = append(list, formula{"κ", k.Text().Kappa, ""})
	}
	if e.Eta != nil {
		list = append(list, formula{"η", e.Eta.Text().Eta, ""})
	}
	u := e.Update()
	return append(list, formula{"A", fmt.Sprintf("%s, %d steps", u.Name, e.L), strings.Join(u.Where, ", ")})
}

// facts is what the data is.
func (r *Run) facts() []fact {
	d, s := r.Data, r.Trained.Split
	list := []fact{
		{"nodes", thousands(d.Nodes)}, {"edges", thousands(d.Edges)}, {"features", thousands(d.Features)}, {"classes", thousands(d.Classes)},
		{"train / valid / test", thousands(len(s.Train)) + " / " + thousands(len(s.Valid)) + " / " + thousands(len(s.Test))},
		{"mean degree", compact(d.Degrees.Mean)},
	}
	if h := d.Homophily; h != nil {
		list = append(list, fact{"edge homophily", percent(h.Edge)}, fact{"adjusted homophily", digits(round(h.Adjusted))},
			fact{"label informativeness", digits(round(h.Informativeness))})
	}
	if n := len(r.Trained.Data.Corrupted); n > 0 {
		list = append(list, fact{"corrupted nodes", thousands(n)})
	}
	return list
}

// notes are what a reader of the numbers should know.
func (r *Run) notes() []string {
	var list []string
	for _, w := range r.Data.Warnings {
		list = append(list, w.Text)
	}
	list = append(list, r.Data.Notes...)
	return append(list, r.Result.Warnings...)
}

// repeat are the commands that make the run again and look at it, and at node v.
func (r *Run) repeat(v int32) []string {
	dir, node := quoted(r.Dir), quoted(r.name(v))
	list := []string{"bloom train " + quoted(r.Dir+"/config.yaml") + " --out again"}
	if r.Trained.Model != nil {
		list = append(list, "bloom explain "+dir+" "+node, "bloom audit "+dir)
	}
	return append(list, "bloom report "+dir+" --node "+node)
}

// quoted is a word of a command line.
func quoted(s string) string {
	if strings.ContainsAny(s, " \t\n'\"\\$`!*?[]{}()<>|&;#~") || s == "" {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// duration is seconds for people.
func duration(seconds float64) string {
	switch {
	case seconds < 1:
		return digits(math.Round(1000*seconds)) + " ms"
	case seconds < 60:
		return digits(seconds) + " s"
	case seconds < 3600:
		return fmt.Sprintf("%d min %d s", int(seconds)/60, int(seconds)%60)
	}
	return fmt.Sprintf("%d h %d min", int(seconds)/3600, int(seconds)/60%60)
}

// words is the name of a metric as people write it.
func words(metric string) string {
	switch metric {
	case "roc_auc":
		return "ROC-AUC"
	case "mrr":
		return "MRR"
	}
	return strings.ReplaceAll(metric, "_", " ")
}

// title is s with a capital letter.
func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
