package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task/node"
)

// Options say what a page shows. The zero value chooses.
type Options struct {
	Node string // the id of the node to draw the graph around; empty for the first that the audit flags
}

// nodesPage is the content of the page of a run about nodes.
type nodesPage struct {
	page
	Energy                []tile
	Candidates            []candidate // none if recipes were not compared
	Averaged              string      // which models the run averages; empty if it is one model
	Descent, Judged, Near []*show.Chart
	Confusion             *matrix   // nil if nodes do not have one class each
	Covered               *coverage // nil without sets
	Metrics, Data         []tile
	Advice                string
	Flags                 []flagged // none without an audit

	Database []dataset.TableKeys // nil if the run is not about questions to one

	Drawing *drawing
	Verdict string
	Apart   string // why predictions are not taken apart; empty otherwise
	Pulls   []pull // none for a baseline
}

// Page writes the page of a run. The error is a *nearest.Unknown if o names a node that does not exist.
func (r *Run) Page(w io.Writer, o Options) error {
	p, err := r.page(o)
	if err != nil {
		return err
	}
	return write(w, "nodes", p)
}

func (r *Run) page(o Options) (*nodesPage, error) {
	v, err := r.centre(o.Node)
	if err != nil {
		return nil, err
	}
	a := r.around(v)
	p := &nodesPage{
		page: page{Title: r.title(), Lead: r.lead(), Tiles: r.tiles(), Learning: r.learning(), Notes: r.notes(),
			Repeat: r.repeat(v), Config: string(r.config)},
		Energy:     r.energy(),
		Candidates: r.candidates(),
		Averaged:   r.Trained.Averaged(),
		Descent:    r.descent(),
		Judged:     r.judged(),
		Near:       r.neighbourhoods(),
		Confusion:  r.confusion(),
		Covered:    r.covered,
		Metrics:    r.metrics(),
		Data:       r.facts(),
		Advice:     r.advice(),
		Flags:      r.flags(),
		Drawing:    r.drawAround(a),
		Verdict:    r.verdict(v),
		Apart:      r.Uninspected,
	}
	if p.Database, err = r.database(); err != nil {
		return nil, err
	}
	if r.Inspection != nil {
		p.Pulls, err = r.pulls(a.explain)
	}
	return p, err
}

// candidate is a recipe that was compared with others.
type candidate struct{ Name, Score, Seconds, Note string }

// candidates returns the recipes that were compared before one was trained.
func (r *Run) candidates() (list []candidate) {
	for _, c := range r.Result.Candidates {
		x := candidate{Name: c.Name, Score: "–", Seconds: fmt.Sprintf("%.1f", c.Seconds), Note: c.Why}
		if score := float64(c.Score); !math.IsNaN(score) {
			x.Score = fmt.Sprintf("%.4g ± %.2g", score, float64(c.Error))
		}
		if c.Folds > 0 && c.Folds < r.Result.Folds && c.Why == "" {
			x.Note = fmt.Sprintf("%d of %d folds", c.Folds, r.Result.Folds)
		}
		list = append(list, x)
	}
	return list
}

// advice returns a sentence about the recipe that suits the data; empty if that is not known.
func (r *Run) advice() string {
	if text := r.Advice.For(r.Result.Recipe); text != "" {
		return title(text) + "."
	}
	return ""
}

// lead returns the run in a sentence or two.
func (r *Run) lead() string {
	if r.Result.Folds > 0 && len(r.Result.Test.Runs) == 0 {
		return fmt.Sprintf("The %s of labelled nodes, each predicted by a model that had not seen its label, is %s: "+
			"the mean of %d folds. The model here has learnt from all labels.", words(r.Result.Metric),
			r.format()(r.Result.Valid.Mean), r.Result.Folds)
	}
	if !r.ofClasses() {
		return fmt.Sprintf("The %s of the test nodes is %s.", words(r.Result.Metric), show.Digits(r.Result.Test.Mean))
	}
	part, nodes := r.measured()
	s := fmt.Sprintf("%s of the %s %s nodes are classified correctly", show.Percent(r.measure("accuracy", nodes)),
		show.Thousands(len(nodes)), part)
	if n := len(r.Result.Test.Runs); n > 1 {
		s += fmt.Sprintf(" by the best of %d runs, chosen by validation", n)
	}
	s += "."
	if e := r.After; e != nil {
		s += fmt.Sprintf(" Its %d layers are steps of descent on an energy, which they %s; %s.", e.Steps,
			changed(e.Drop()), r.convergence())
	}
	return s
}

// changed returns the words for a relative drop of the energy, or a rise if it is negative.
func changed(drop float64) string {
	if drop < 0 {
		return "raise by " + show.Percent(-drop)
	}
	return "lower by " + show.Percent(drop)
}

// format writes the metric: a share of nodes with one class each in percent, what may be anything as a number.
func (r *Run) format() show.Format {
	if r.ofClasses() {
		return show.Percent
	}
	return show.Digits
}

func (r *Run) tiles() []tile {
	valid := "Validation"
	if r.Result.Folds > 0 {
		valid = "Cross-validated"
	}
	tiles := []tile{r.score("Test", r.Result.Test, r.format(), "no such nodes"),
		r.score(valid, r.Result.Valid, r.format(), "no such nodes")}
	if c := r.Result.Closed; c != nil {
		tiles = append(tiles, tile{"Closed form", r.format()(float64(c.Valid)), "without training, " +
			strings.ToLower(valid)})
	}
	if c := r.Certified; c != nil {
		tiles = append(tiles, tile{"Certified", show.Percent(c.Share), "of all nodes keep their class " + c.Under})
	}
	if r.After != nil {
		name, share := "Energy lowered by", r.After.Drop()
		if share < 0 {
			name, share = "Energy raised by", -share
		}
		tiles = append(tiles, tile{name, show.Percent(share), fmt.Sprintf("in %d steps", r.After.Steps)},
			tile{"One more step", small(r.After.Residual), "of ‖H‖"})
	}
	return append(tiles, r.effort()...)
}

// energy returns the lower level by its formulas; none for a baseline.
func (r *Run) energy() []tile {
	e := r.Trained.Config.Energy
	if e == nil || r.Trained.Stack == nil {
		return nil
	}
	var list []tile
	for _, f := range e.F {
		list = append(list, tile{"f", f.Text().F, strings.Join(f.Text().Where, ", ")})
	}
	for _, k := range e.Kappa {
		list = append(list, tile{"κ", k.Text().Kappa, ""})
	}
	if e.Eta != nil {
		eta, _ := e.Eta.Text()
		list = append(list, tile{"η", eta, ""})
	}
	u := e.Update()
	list = append(list, tile{"A", fmt.Sprintf("%s, %d steps", u.Name, e.L), strings.Join(u.Where, ", ")})
	return append(list, r.levels()...)
}

// levels returns what the descents of a stack do; nil for a single level.
func (r *Run) levels() []tile {
	if len(r.Levels) < 2 {
		return nil
	}
	var list []tile
	for k, e := range r.Levels {
		drop := e.Drop()
		verb := "lowers its energy by "
		if drop < 0 {
			verb, drop = "raises its energy by ", -drop
		}
		more := "one more step changes H by " + small(e.Residual)
		if len(e.Apart) > 0 {
			far := slices.Max(e.Apart)
			if v := slices.Index(e.Apart, far); v >= 0 { // else it is NaN
				more += fmt.Sprintf("; farthest from its features is %s, by %s", r.name(int32(v)), show.Compact(far))
			}
		}
		list = append(list, tile{fmt.Sprintf("level %d", k+1), verb + show.Percent(drop), more})
	}
	return list
}

// facts returns tiles that describe the data.
func (r *Run) facts() []tile {
	d, s := r.Data, r.Trained.Split
	list := []tile{
		{Name: "nodes", Value: show.Thousands(d.Nodes)}, {Name: "edges", Value: show.Thousands(d.Edges)},
		{Name: "features", Value: show.Thousands(d.Features)},
		{Name: "classes", Value: show.Thousands(d.Classes)},
		{Name: "train / valid / test", Value: show.Thousands(len(s.Train)) + " / " +
			show.Thousands(len(s.Valid)) + " / " + show.Thousands(len(s.Test))},
		{Name: "mean degree", Value: show.Compact(d.Degrees.Mean)},
	}
	if h := d.Homophily; h != nil {
		list = append(list, tile{Name: "edge homophily", Value: show.Percent(h.Edge)},
			tile{Name: "adjusted homophily", Value: show.Digits(round(h.Adjusted))},
			tile{Name: "label informativeness", Value: show.Digits(round(h.Informativeness))})
	}
	if n := len(r.Trained.Data.Corrupted); n > 0 {
		list = append(list, tile{Name: "corrupted nodes", Value: show.Thousands(n)})
	}
	return list
}

// notes returns what a reader of the numbers should know.
func (r *Run) notes() []string {
	var list []string
	if kept := node.Kept(r.Trained.Data); kept != "" {
		list = append(list, kept)
	}
	for _, w := range r.Data.Warnings {
		list = append(list, w.Text)
	}
	return append(list, r.said()...)
}

// repeat returns the commands that make the run again and look at it, and at node v.
func (r *Run) repeat(v int32) []string {
	list := []string{show.ShellCommand("bloom", "train", r.Dir+"/config.yaml", "--out", "again")}
	if r.Trained.Stack != nil {
		list = append(list, show.ShellCommand("bloom", "explain", r.Dir, "--node", r.name(v)),
			show.ShellCommand("bloom", "audit", r.Dir))
	}
	return append(list, show.ShellCommand("bloom", "report", r.Dir, "--node", r.name(v)))
}

// metrics returns all metrics of the test nodes, each with the metric of a constant answer, and what calibration
// found.
func (r *Run) metrics() []tile {
	var list []tile
	for _, m := range r.Result.Metrics {
		if len(m.Test.Runs) == 0 {
			continue
		}
		f := tile{Name: words(m.Metric), Value: show.Digits(m.Test.Mean)}
		if len(m.Test.Runs) > 1 {
			f.Value += " ± " + show.Digits(m.Test.SD)
		}
		if m.Majority != nil {
			f.More = fmt.Sprintf("always %s: %s", r.Trained.Always(), show.Digits(float64(*m.Majority)))
		}
		list = append(list, f)
	}
	c := r.Result.Calibration
	if c != nil && c.Temperature != 1 {
		list = append(list, tile{"temperature", show.Digits(c.Temperature), fmt.Sprintf(
			"calibration error %s, without it %s", show.Percent(float64(c.After)), show.Percent(float64(c.Before)))})
	}
	if c != nil && c.Threshold > 0 {
		list = append(list, tile{"threshold", show.Digits(c.Threshold), "best validation " + words(c.By)})
	}
	return list
}

// database returns the tables of a database that was asked, with their keys; nil if there was none.
func (r *Run) database() (tables []dataset.TableKeys, err error) {
	name := filepath.Join(r.Dir, dataset.SchemaFile)
	text, err := files.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &tables)
	}
	if err != nil {
		return nil, files.Because(name, err)
	}
	return tables, nil
}
