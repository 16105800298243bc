package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// Options say how an experiment is run. The zero value runs all of it as its files say and keeps nothing.
type Options struct {
	Cells string            // the folder of the cells
	Dir   string            // where outcomes are kept, seed by seed; empty for nowhere
	Fresh bool              // measure again what is in Dir
	Kept  bool              // measure nothing: take what is in Dir, and leave out cells that are not complete there
	Seeds int               // runs of every cell; 0 means what its file says
	Jobs  int               // runs at the same time, of one cell; 0 means 1
	Data  []string          // data sets; empty means all
	Rows  []string          // rows; empty means all
	Say   func(text string) // progress, a line at a time; may be nil
}

// Report is an experiment with what we got.
type Report struct {
	Experiment *Experiment
	Results    []Result
	Missing    []error // of data sets that are not on this machine, each a *dataset.NotHereError
}

// Result is the result of a cell.
type Result struct {
	Cell     *Cell
	Ours     *Ours     // nil if its data is missing
	Outcomes []Outcome // by run
}

type runner struct {
	ctx        context.Context
	experiment *Experiment
	options    Options
	store      store
	open       map[string]*dataset.Dataset
	bases      *bases
	lanes      mat.Lanes // one for every run in progress
	say        sync.Mutex
}

// errNotRun is the error for an outcome that is not in the folder and must not be measured.
var errNotRun = errors.New("not run")

// Run measures every cell of an experiment. Rows whose data is not here are left out and listed in the report; other
// errors end it, and what was done so far is in the folder. The error is a *keys.Unknown for a row or data set that
// the experiment does not have.
func Run(ctx context.Context, e *Experiment, o Options) (*Report, error) {
	cells, err := e.chosen(o.Cells, o.Rows, o.Data)
	if err != nil {
		return nil, err
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	lanes, err := mat.NewLanes(max(1, o.Jobs))
	if err != nil {
		return nil, err
	}
	r := &runner{ctx: ctx, experiment: e, options: o, store: store{o.Dir, o.Fresh}, open: map[string]*dataset.Dataset{},
		bases: &bases{of: map[place]*mat.Dense{}}, lanes: lanes}
	report := &Report{Experiment: e}
	for _, c := range cells {
		c.Seeds = cmp.Or(o.Seeds, c.Seeds)
		result, err := r.cell(c)
		var absent *catalogue.NotHereError
		switch {
		case errors.As(err, &absent):
			same := func(m error) bool { return m.Error() == absent.Error() }
			if !slices.ContainsFunc(report.Missing, same) {
				report.Missing = append(report.Missing, absent)
			}
			result = &Result{Cell: c}
		case errors.Is(err, errNotRun):
			result = &Result{Cell: c}
		case err != nil:
			return report, fmt.Errorf("%v: %w", c, err)
		}
		report.Results = append(report.Results, *result)
	}
	return report, nil
}

// chosen returns the cells below a folder for the given rows and data sets, or all cells if none are given.
func (e *Experiment) chosen(folder string, rows, data []string) ([]*Cell, error) {
	cells, err := e.Cells(folder)
	if err != nil {
		return nil, err
	}
	for _, asked := range []struct {
		kind   string
		names  []string
		called func(*Cell) string
	}{{"row", rows, func(c *Cell) string { return c.Row }}, {"data set", data, (*Cell).set}} {
		var known []string
		for _, c := range cells {
			if name := asked.called(c); !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
		for _, name := range asked.names {
			if !slices.ContainsFunc(known, func(k string) bool { return wanted(k, []string{name}) }) {
				return nil, fmt.Errorf("%s: %w", e.ID, keys.NewUnknown(asked.kind, name, known))
			}
		}
	}
	return slices.DeleteFunc(cells, func(c *Cell) bool { return !wanted(c.Row, rows) || !wanted(c.set(), data) }), nil
}

// wanted reports whether a list asks for a name; an empty one asks for all. Upper and lower case are one, and so are -
// and _.
func wanted(name string, list []string) bool {
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }
	return len(list) == 0 || slices.ContainsFunc(list, func(s string) bool { return plain(s) == plain(name) })
}

// data opens a data set once.
func (r *runner) data(name string) (*dataset.Dataset, error) {
	if d := r.open[name]; d != nil {
		return d, nil
	}
	d, err := load(name)
	if err == nil {
		r.open[name] = d
	}
	return d, err
}

// load reads a data set of the catalogue, or generates one if name has values.
func load(name string) (*dataset.Dataset, error) {
	if strings.Contains(name, ":") {
		return catalogue.Open(name)
	}
	e := catalogue.Find(name)
	if e == nil {
		return nil, fmt.Errorf("%q is not in the catalogue", name)
	}
	return e.Load()
}

// cell searches, if the cell asks for it, and then runs all seeds.
func (r *runner) cell(c *Cell) (*Result, error) {
	var d *dataset.Dataset
	var err error
	if !r.options.Kept { // what is kept needs no data
		if d, err = r.data(c.Data); err != nil {
			return nil, err
		}
	}
	ours := &Ours{Numbers: map[string]Score{}}
	var set []string
	if c.Search != nil {
		if set, err = r.search(c, d, ours); err != nil {
			return nil, err
		}
	}
	outcomes, err := r.runs(c, d, c.Seeds, set)
	if err != nil {
		return nil, err
	}
	for _, n := range c.Numbers {
		var values []float64
		for i, o := range outcomes {
			v, ok := o.Numbers[n.Name]
			if !ok {
				return nil, fmt.Errorf("run %d did not measure %q: %s", i, n.Name, o.Diverged)
			}
			values = append(values, round(v))
		}
		ours.Numbers[n.Name] = scoreOf(values)
	}
	return &Result{c, ours, outcomes}, nil
}

// search runs every point of the grid and returns the point that is best on the validation nodes. The whole grid stays
// in ours. One outcome that diverged makes its whole point diverge.
func (r *runner) search(c *Cell, d *dataset.Dataset, ours *Ours) ([]string, error) {
	points := c.Search.Points()
	outcomes := make([][]Outcome, len(points))
	err := r.each(len(points), func(i int) (err error) {
		outcomes[i], err = r.runs(c, d, c.Search.Seeds, append(slices.Clone(c.Search.Set), points[i]...))
		return err
	})
	if err != nil {
		return nil, err
	}
	var chosen []string
	best := math.Inf(-1)
	for i, set := range points {
		p := Point{Set: set}
		var valid, test []float64
		for _, o := range outcomes[i] {
			if o.Diverged != "" {
				p.Note = "diverged"
			}
			valid, test = append(valid, o.Valid), append(test, o.Numbers[c.Numbers[0].Name])
		}
		if p.Note == "" {
			p.Valid, p.Test = round(metric.Mean(valid)), round(metric.Mean(test))
			if p.Valid > best {
				best, chosen = p.Valid, set
			}
		}
		ours.Grid = append(ours.Grid, p)
	}
	ours.Chosen = map[string]string{}
	for _, s := range chosen {
		key, value, _ := strings.Cut(s, "=")
		ours.Chosen[key] = value
	}
	return chosen, nil
}

// runs returns the outcomes of n seeds at a point.
func (r *runner) runs(c *Cell, d *dataset.Dataset, n int, set []string) ([]Outcome, error) {
	all := make([]Outcome, n)
	return all, r.each(n, func(i int) (err error) {
		all[i], err = r.measureRun(c, d, i, set)
		return err
	})
}

// each calls f for 0, 1, …, n−1, in parallel if several runs are allowed, and returns the error of the first that
// failed.
func (r *runner) each(n int, f func(int) error) error {
	errs := make([]error, n)
	if cap(r.lanes) == 1 {
		for i := range n {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	}
	var all host.Group
	for i := range n {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	return cmp.Or(errs...)
}

// measureRun is one run, measured or remembered.
func (r *runner) measureRun(c *Cell, d *dataset.Dataset, run int, set []string) (Outcome, error) {
	if err := r.ctx.Err(); err != nil {
		return Outcome{}, err
	}
	cfg, err := c.Config(set...)
	if err != nil {
		return Outcome{}, err
	}
	cfg.Train.Seed += uint64(run)
	j := job{c, *cfg, d, run, r.bases}
	o, ok, err := r.store.get(j)
	switch {
	case ok || err != nil:
		return o, err
	case r.options.Kept:
		return o, errNotRun
	}
	r.lanes.Do(func() { o, err = r.experiment.measure(r.ctx, j) })
	if err != nil {
		return o, err
	}
	r.say.Lock()
	r.options.Say(fmt.Sprintf("%v  run %d  %v  %s", c, run, set, o))
	r.say.Unlock()
	return o, r.store.save(j, o)
}

// String returns the outcome in short.
func (o Outcome) String() string {
	if o.Diverged != "" {
		return "diverged: " + o.Diverged
	}
	text := fmt.Sprintf("valid %.2f", o.Valid)
	for _, name := range slices.Sorted(maps.Keys(o.Numbers)) {
		text += fmt.Sprintf("  %s %.4g", name, o.Numbers[name])
	}
	return text
}

// scoreOf returns the score of values, rounded as files are.
func scoreOf(values []float64) Score {
	return Score{Mean: round(metric.Mean(values)), SD: round(metric.SD(values)), Runs: values}
}

// round cuts a number to what is worth writing: four decimals.
func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// store keeps outcomes in a folder, a file each, so that nothing is measured twice. A file is named after its run and a
// hash of everything it depends on: other settings are other files.
type store struct {
	dir   string // empty keeps nothing
	fresh bool   // ignore stored outcomes and measure again
}

func (s store) path(j job) string {
	h := sha256.New()
	h.Write(plain(j.config))
	fmt.Fprintf(h, "%+v", j.cell.Trace)
	for _, n := range j.cell.Numbers {
		fmt.Fprintln(h, n.Name)
	}
	return filepath.Join(s.dir, j.cell.Row+"-"+j.cell.set(),
		fmt.Sprintf("run-%02d-%s.json", j.run, hex.EncodeToString(h.Sum(nil)[:6])))
}

// plain returns a config without its comments, which may say things better one day and measure the same.
func plain(c config.Config) []byte {
	var keys map[string]any
	if err := yaml.Unmarshal(c.YAML(), &keys); err != nil {
		panic("paper: " + err.Error()) // it was written here
	}
	text, err := json.Marshal(keys)
	if err != nil {
		panic("paper: " + err.Error())
	}
	return text
}

// get returns the outcome of a job that was done before.
func (s store) get(j job) (o Outcome, ok bool, err error) {
	if s.dir == "" || s.fresh {
		return o, false, nil
	}
	text, err := os.ReadFile(s.path(j))
	if errors.Is(err, os.ErrNotExist) {
		return o, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		return o, false, fmt.Errorf("%s: %w", s.path(j), err)
	}
	return o, true, nil
}

// save keeps an outcome. The file appears complete or not at all.
func (s store) save(j job, o Outcome) error {
	if s.dir == "" {
		return nil
	}
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	name := s.path(j)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return replace(name, append(text, '\n'))
}

// replace writes a file, all of it or nothing.
func replace(name string, text []byte) error {
	return files.Replace(name, files.WriteOptions{}, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
