package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // for the tables

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/keys"
)

// Experiment is a table or a figure of the paper.
type Experiment struct {
	ID      string   `yaml:"id"`
	Title   string   `yaml:"title"`
	Source  string   `yaml:"source"` // its label in the paper's LaTeX
	Rows    []string `yaml:"rows"`
	Folder  string   `yaml:"folder"` // of its cells and of its runs; experiments with the same rows share it
	Measure string   `yaml:"measure"`
	Margins []margin `yaml:"margins"`
	Draw    *drawing `yaml:"draw"` // nil for a table alone
	Paper   []layout `yaml:"paper"`

	measure func(context.Context, job) (Outcome, error)
}

// margin is the difference of one number of two rows, which the paper does not print but its readers compute.
type margin struct {
	Name    string   `yaml:"name"`
	Row     string   `yaml:"row"` // row − of
	Of      string   `yaml:"of"`
	Number  string   `yaml:"number"`
	AtLeast *float64 `yaml:"at_least"`
}

// job is one run of a cell.
type job struct {
	cell   *Cell
	config config.Config // with the seed of the run
	data   *dataset.Dataset
	run    int // from 0
	bases  *bases
}

// Outcome is the result of one run.
type Outcome struct {
	Valid    float64            `json:"valid"`              // what chooses among settings; a percentage
	Numbers  map[string]float64 `json:"numbers"`            // by the names of the cell
	Curves   []Curve            `json:"curves,omitempty"`   // for figures
	Diverged string             `json:"diverged,omitempty"` // why nothing was measured, if the settings are at fault
}

// Curve is a line of a figure.
type Curve struct {
	Panel string    `json:"panel"` // the figure it belongs to
	Name  string    `json:"name"`
	X     []float64 `json:"x"`
	Y     []float64 `json:"y"`
}

// tables are all tables and figures, in the order of the paper, and studies beyond it.
//
//go:embed tables.yaml
var tables []byte

// measures are the measurements of experiments, by name.
var measures = map[string]func(context.Context, job) (Outcome, error){
	"training": measureTraining, "ranks": measureRanks, "newcomers": measureNewcomers,
	"propagation": measurePropagation, "energy": measureEnergy, "unitnorm": measureUnitNorm,
	"distances": measureDistances,
}

// experiments are the experiments in tables.yaml.
var experiments = func() (list []*Experiment) {
	d := yaml.NewDecoder(bytes.NewReader(tables))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		panic(err) // it is in the program, and tests read it
	}
	for _, e := range list {
		e.Folder, e.measure = cmp.Or(e.Folder, e.ID), measures[e.Measure]
	}
	return list
}()

// Find returns the experiment of a name.
func Find(id string) (*Experiment, error) {
	var names []string
	for _, e := range experiments {
		if e.ID == id {
			return e, nil
		}
		names = append(names, e.ID)
	}
	return nil, keys.NewUnknown("table or figure", id, names)
}

// layout is a table as the paper prints it.
type layout struct {
	Caption string      `yaml:"caption"`
	Columns [][2]string `yaml:"columns"` // label and data set; no data set means the mean of the others
	Rows    []layoutRow `yaml:"rows"`
}

// layoutRow is a row of it: the cells of Row, or of one row per column.
type layoutRow struct {
	Label  string   `yaml:"label"`
	Row    string   `yaml:"row"`
	Cells  []string `yaml:"cells"`  // "" if the paper leaves the cell empty
	Number string   `yaml:"number"` // default test
}
