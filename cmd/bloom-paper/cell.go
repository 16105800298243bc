package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/files"
)

// Cell is a row of a table on one data set, as its file says. Accuracies and the like are percentages.
type Cell struct {
	Row      string    `yaml:"row"`
	Data     string    `yaml:"data"`     // a name of the catalogue, or of a generator with values for its keys
	About    string    `yaml:"about"`    // what is measured, one sentence
	Seeds    int       `yaml:"seeds"`    // runs; run i has the seed of the settings plus i
	Budget   string    `yaml:"budget"`   // how much was searched, and on which nodes
	Settings yaml.Node `yaml:"settings"` // keys of a config
	Search   *Search   `yaml:"search"`   // nil if nothing is searched
	Trace    Trace     `yaml:"trace"`    // for experiments that look at single steps
	Numbers  []Number  `yaml:"numbers"`
	Tried    string    `yaml:"tried"` // what else was tried, if a target is not reached
	Ours     *Ours     `yaml:"ours"`  // nil if it has not run

	file string
}

// Search is a grid over keys. The point with the best mean validation score is taken, the first if several tie.
type Search struct {
	Seeds int        `yaml:"seeds"` // runs of every point
	Set   []string   `yaml:"set"`   // key=value that holds while searching only, as train.epochs=200
	Grid  yaml.Node  `yaml:"grid"`  // key: [values]
	Keys  []string   `yaml:"-"`
	Axes  [][]string `yaml:"-"`
}

// Trace says how single steps are looked at.
type Trace struct {
	Gamma float64 `yaml:"gamma"` // γ; 0 if it follows from the energy
	Steps int     `yaml:"steps"`
	Stop  Stop    `yaml:"stop"` // where accuracy is read; default Last
	Pad   bool    `yaml:"pad"`  // X is padded to n orthonormal columns
}

// Stop is the rule by which a step is chosen.
type Stop string

// The rules.
const (
	Last       Stop = "last"       // after all steps
	Validation Stop = "validation" // at the best validation accuracy, the first if several tie
)

// Number is something that a cell measures.
type Number struct {
	Name      string    `yaml:"name"`
	Published Published `yaml:"published"`
	AtLeast   *float64  `yaml:"at_least"` // what is to be reached; nil for nothing
	AtMost    *float64  `yaml:"at_most"`
}

// Published is the number in the paper, or why it has none.
type Published struct {
	Mean *float64 `yaml:"mean"`
	SD   *float64 `yaml:"sd"`
	None string   `yaml:"none"`
}

// Ours is our result.
type Ours struct {
	Commit  string            `yaml:"commit"`
	Date    string            `yaml:"date"` // 2006-01-02
	Chosen  map[string]string `yaml:"chosen,omitempty"`
	Numbers map[string]Score  `yaml:"numbers"`
	Grid    []Point           `yaml:"grid,omitempty"` // every point of the search
}

// Score is a number over seeds; SD is the population deviation of the runs, not the error of their mean.
type Score struct {
	Mean float64   `yaml:"mean"`
	SD   float64   `yaml:"sd"`
	Runs []float64 `yaml:"runs,flow"`
}

// Point is a point of a search.
type Point struct {
	Set   []string `yaml:"set,flow"`
	Valid float64  `yaml:"valid"` // the mean; what chooses
	Test  float64  `yaml:"test"`  // the mean; for the reader, it chooses nothing
	Note  string   `yaml:"note,omitempty"`
}

// Reached reports whether a mean reaches the target; without a target every mean does.
func (n Number) Reached(mean float64) bool {
	return !(n.AtLeast != nil && mean < *n.AtLeast || n.AtMost != nil && mean > *n.AtMost)
}

// Config returns the configuration of the cell, with some keys set further. Its errors name the file of the cell.
func (c *Cell) Config(set ...string) (*config.Config, error) {
	text, err := yaml.Marshal(&c.Settings)
	if err != nil {
		return nil, err
	}
	return config.Load(config.Options{File: c.file, Text: text, Set: set, Data: c.Data})
}

// certified reports whether the steps of the cell are certified, with the settings that its search chose; true for a
// baseline, which has no steps.
func (c *Cell) certified(ours *Ours) bool {
	var set []string
	if ours != nil {
		for key, value := range ours.Chosen {
			set = append(set, key+"="+value)
		}
	}
	slices.Sort(set)
	got, err := c.Config(set...)
	return err != nil || got.Energy == nil || got.Energy.Certified()
}

// Points returns all points of the search, the last key changing fastest; a single empty one if there is no search.
func (s *Search) Points() [][]string {
	points := [][]string{nil}
	if s == nil {
		return points
	}
	for i, key := range s.Keys {
		var next [][]string
		for _, p := range points {
			for _, value := range s.Axes[i] {
				next = append(next, append(slices.Clone(p), key+"="+value))
			}
		}
		points = next
	}
	return points
}

func (c *Cell) number(name string) (Number, bool) {
	i := slices.IndexFunc(c.Numbers, func(n Number) bool { return n.Name == name })
	if i < 0 {
		return Number{}, false
	}
	return c.Numbers[i], true
}

// set returns the name of the data set, without the values of a generator.
func (c *Cell) set() string {
	name, _, _ := strings.Cut(c.Data, ":")
	return name
}

// String is row and data.
func (c *Cell) String() string { return fmt.Sprintf("%s on %s", c.Row, c.set()) }

// Cells returns the cells of the experiment, of the files below a folder, in the order of rows and, within a row, of
// the file names. It skips the one slow check of Parse, the check of the settings: a test makes it for the cells of
// this repository.
func (e *Experiment) Cells(folder string) ([]*Cell, error) {
	folder = filepath.Join(folder, e.Folder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, files.Errorf(folder, "there are no cells: run bloom-paper in the root of a checkout of bloom, or "+
			"say where they are with --cells")
	}
	var cells []*Cell
	for _, f := range entries {
		if filepath.Ext(f.Name()) != ".yaml" {
			continue
		}
		name := filepath.Join(folder, f.Name())
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, files.Because(name, err)
		}
		c, err := read(name, text)
		if err != nil {
			return nil, err
		}
		if slices.Contains(e.Rows, c.Row) {
			cells = append(cells, c)
		}
	}
	slices.SortStableFunc(cells, func(a, b *Cell) int {
		return slices.Index(e.Rows, a.Row) - slices.Index(e.Rows, b.Row)
	})
	return cells, nil
}

// Parse reads the file of a cell and checks it: known keys only, settings that a config has, a published number or the
// reason why there is none for everything that is measured, and one value of ours per seed. The error is a
// *files.Error.
func Parse(name string, text []byte) (*Cell, error) {
	c, err := read(name, text)
	if err != nil {
		return nil, err
	}
	return c, c.checkSettings()
}

// checkSettings decodes the settings at every point of the search.
func (c *Cell) checkSettings() error {
	points := c.Search.Points()
	if c.Search != nil {
		points = append(points, c.Search.Set)
	}
	for _, p := range points {
		if _, err := c.Config(p...); err != nil {
			var at *files.Error // one about a key of the search names the key alone
			if errors.As(err, &at) && at.File == c.file {
				return err
			}
			return files.Because(c.file, err)
		}
	}
	return nil
}

// read works like Parse without a look at the settings.
func read(name string, text []byte) (*Cell, error) {
	c := &Cell{file: name}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(c); err != nil {
		return nil, files.Because(name, err)
	}
	if want := c.Row + "-" + c.set() + ".yaml"; filepath.Base(name) != want {
		return nil, files.Errorf(name, "row %q on %q belongs in %s", c.Row, c.Data, want)
	}
	for _, check := range []func() error{c.check, c.Search.decode, c.checkOurs} {
		if err := check(); err != nil {
			return nil, files.Because(name, err)
		}
	}
	return c, nil
}

// check looks at everything but the settings and our result.
func (c *Cell) check() error {
	switch {
	case c.Seeds < 1:
		return fmt.Errorf("seeds: %d, want 1 or more", c.Seeds)
	case c.About == "":
		return fmt.Errorf("about: is empty")
	case c.Budget == "":
		return fmt.Errorf("budget: is empty; say how much was searched and on which nodes, or none")
	case len(c.Numbers) == 0:
		return fmt.Errorf("numbers: none")
	}
	seen := map[string]bool{}
	for _, n := range c.Numbers {
		if err := n.check(); err != nil {
			return fmt.Errorf("numbers: %q: %w", n.Name, err)
		}
		if seen[n.Name] {
			return fmt.Errorf("numbers: %q is listed twice", n.Name)
		}
		seen[n.Name] = true
	}
	switch t := c.Trace; {
	case t.Steps < 0 || t.Gamma < 0:
		return fmt.Errorf("trace: %d steps of γ = %v, want neither below 0", t.Steps, t.Gamma)
	case t.Stop != "" && t.Stop != Last && t.Stop != Validation:
		return fmt.Errorf("trace: stop: %q, want %s or %s", t.Stop, Last, Validation)
	}
	return nil
}

func (n Number) check() error {
	switch p := n.Published; {
	case n.Name == "":
		return fmt.Errorf("it has no name")
	case p.Mean == nil && p.None == "":
		return fmt.Errorf("published: mean is missing; if the paper has no such number, give none with the reason")
	case p.Mean != nil && p.None != "":
		return fmt.Errorf("published: both a mean and none")
	case p.Mean == nil && p.SD != nil:
		return fmt.Errorf("published: sd without a mean")
	}
	return nil
}

// decode reads the grid in its order.
func (s *Search) decode() error {
	switch {
	case s == nil:
		return nil
	case s.Seeds < 1:
		return fmt.Errorf("search: seeds: %d, want 1 or more", s.Seeds)
	}
	if s.Grid.Kind != yaml.MappingNode || len(s.Grid.Content) == 0 {
		return fmt.Errorf("search: grid: want key: [values]")
	}
	for i := 0; i < len(s.Grid.Content); i += 2 {
		key, list := s.Grid.Content[i].Value, s.Grid.Content[i+1]
		if list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
			return fmt.Errorf("search: grid: %s: want a list of values", key)
		}
		var axis []string
		for _, n := range list.Content {
			text, err := yaml.Marshal(n)
			if err != nil {
				return err
			}
			axis = append(axis, strings.TrimSpace(string(text)))
		}
		s.Keys, s.Axes = append(s.Keys, key), append(s.Axes, axis)
	}
	return nil
}

// checkOurs compares our result with what it should hold.
func (c *Cell) checkOurs() error {
	if c.Ours == nil {
		return nil
	}
	if _, err := time.Parse(time.DateOnly, c.Ours.Date); err != nil {
		return fmt.Errorf("ours: date: %q, want a day such as 2006-01-02", c.Ours.Date)
	}
	if c.Ours.Commit == "" {
		return fmt.Errorf("ours: there is no commit")
	}
	for name := range c.Ours.Numbers {
		if _, ok := c.number(name); !ok {
			return fmt.Errorf("ours: %q is not among the numbers", name)
		}
	}
	for _, n := range c.Numbers {
		s, ok := c.Ours.Numbers[n.Name]
		switch want := scoreOf(s.Runs); {
		case !ok:
			return fmt.Errorf("ours: %q: there is no result", n.Name)
		case len(s.Runs) != c.Seeds:
			return fmt.Errorf("ours: %q: %d values of %d seeds", n.Name, len(s.Runs), c.Seeds)
		case want.Mean != s.Mean || want.SD != s.SD:
			return fmt.Errorf("ours: %q: mean %v ± %v, but the values have %v ± %v", n.Name, s.Mean, s.SD, want.Mean,
				want.SD)
		case !n.Reached(s.Mean) && c.Tried == "":
			return fmt.Errorf("ours: %q: %v misses the target: tried must say what was tried", n.Name, s.Mean)
		}
	}
	return nil
}

// Stamp says when and with what a result was got.
type Stamp struct {
	Commit string
	Date   time.Time
}

// Record writes our results into the files of the cells, and returns which files it wrote. Everything but our result
// stays as it is, comments included; ours is the last key of a file. Cells that did not run are left alone. A result
// that Parse would refuse, of another number of runs or below a target without a word about what was tried, is an
// error.
func (r *Report) Record(s Stamp) ([]string, error) {
	var written []string
	for _, x := range r.Results {
		if x.Ours == nil {
			continue
		}
		name := x.Cell.file
		old, err := os.ReadFile(name)
		if err != nil {
			return written, files.Because(name, err)
		}
		ours := *x.Ours
		ours.Commit, ours.Date = s.Commit, s.Date.Format(time.DateOnly)
		before, _, _ := bytes.Cut(old, []byte("\nours:\n"))
		text := bytes.NewBuffer(append(bytes.TrimRight(before, "\n"), '\n'))
		e := yaml.NewEncoder(text)
		e.SetIndent(2)
		if err := errors.Join(e.Encode(map[string]Ours{"ours": ours}), e.Close()); err != nil {
			return written, files.Because(name, err)
		}
		if _, err := Parse(name, text.Bytes()); err != nil {
			return written, fmt.Errorf("the result cannot be recorded: %w", err)
		}
		if err := replace(name, text.Bytes()); err != nil {
			return written, err
		}
		written = append(written, name)
	}
	return written, nil
}
