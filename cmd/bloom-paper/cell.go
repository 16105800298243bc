package main

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/config"
)

// Cell is a row of a table on one data set, as its file says. Accuracies and the like are percentages.
type Cell struct {
	Row      string    `yaml:"row"`
	Data     string    `yaml:"data"`     // a name of the catalogue, or of a generator with values for its keys
	About    string    `yaml:"about"`    // what is measured, one sentence
	Seeds    int       `yaml:"seeds"`    // runs; run i has the seed of the settings plus i
	Budget   string    `yaml:"budget"`   // how much was searched, and on which nodes
	Settings yaml.Node `yaml:"settings"` // keys of a config
	Search   *Search   `yaml:"search"`   // nil where nothing is searched
	Trace    Trace     `yaml:"trace"`    // for experiments that look at single steps
	Numbers  []Number  `yaml:"numbers"`
	Tried    string    `yaml:"tried"` // what else was tried, where a target is not reached
	Ours     *Ours     `yaml:"ours"`  // nil where it has not run

	file string
}

// Search is a grid over keys. The point with the best mean validation score is taken, the first of those that tie.
type Search struct {
	Seeds int        `yaml:"seeds"` // runs of every point
	Set   []string   `yaml:"set"`   // key=value that holds while searching only, as train.epochs=200
	Grid  yaml.Node  `yaml:"grid"`  // key: [values]
	Keys  []string   `yaml:"-"`
	Axes  [][]string `yaml:"-"`
}

// Trace says how single steps are looked at.
type Trace struct {
	Gamma float64 `yaml:"gamma"` // γ; 0 where it follows from the energy
	Steps int     `yaml:"steps"`
	Stop  Stop    `yaml:"stop"` // where accuracy is read; default Last
	Pad   bool    `yaml:"pad"`  // X is padded to n orthonormal columns
}

// Stop is the rule by which a step is chosen.
type Stop string

// The rules.
const (
	Last       Stop = "last"       // after all steps
	Validation Stop = "validation" // at the best validation accuracy, the first of those that tie
)

// Number is something that a cell measures.
type Number struct {
	Name      string    `yaml:"name"`
	Published Published `yaml:"published"`
	AtLeast   *float64  `yaml:"at_least"` // what is to be reached; nil for nothing
	AtMost    *float64  `yaml:"at_most"`
}

// Published is what the paper says, or why it says nothing.
type Published struct {
	Mean *float64 `yaml:"mean"`
	SD   *float64 `yaml:"sd"`
	None string   `yaml:"none"`
}

// Ours is what we got.
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

// Reached reports whether a mean is what was asked for; without a target everything is.
func (n Number) Reached(mean float64) bool {
	return !(n.AtLeast != nil && mean < *n.AtLeast || n.AtMost != nil && mean > *n.AtMost)
}

// Config is the configuration of the cell, with some keys set further. Its errors name the file of the cell.
func (c *Cell) Config(set ...string) (*config.Config, error) {
	text, err := yaml.Marshal(&c.Settings)
	if err != nil {
		return nil, err
	}
	return config.Load(config.Options{File: c.file, Text: text, Set: set, Data: c.Data})
}

// certified reports whether the steps of the cell are, with what its search has chosen; those of a baseline are, as
// there are none.
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

// Points are all points of the search, the last key changing fastest; a single empty one where nothing is searched.
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

// number finds a number by its name.
func (c *Cell) number(name string) (Number, bool) {
	i := slices.IndexFunc(c.Numbers, func(n Number) bool { return n.Name == name })
	if i < 0 {
		return Number{}, false
	}
	return c.Numbers[i], true
}

// set is the name of the data set, without the values of a generator.
func (c *Cell) set() string {
	name, _, _ := strings.Cut(c.Data, ":")
	return name
}

// String is row and data.
func (c *Cell) String() string { return fmt.Sprintf("%s on %s", c.Row, c.set()) }
