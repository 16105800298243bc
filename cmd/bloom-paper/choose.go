package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/keys"
)

// chosen are the cells below a folder of the rows and data sets that are asked for, of all where none are.
func (e *Experiment) chosen(folder string, rows, data []string) ([]*Cell, error) {
	cells, err := e.Cells(folder)
	if err != nil {
		return nil, err
	}
	if err := e.has("row", rows, cells, func(c *Cell) string { return c.Row }); err != nil {
		return nil, err
	}
	if err := e.has("data set", data, cells, (*Cell).set); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(cells, func(c *Cell) bool { return !wanted(c.Row, rows) || !wanted(c.set(), data) }), nil
}

// has finds every name among what cells are called by.
func (e *Experiment) has(kind string, names []string, cells []*Cell, called func(*Cell) string) error {
	var known []string
	for _, c := range cells {
		if name := called(c); !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(known, func(k string) bool { return wanted(k, []string{name}) }) {
			return fmt.Errorf("%s: %w", e.ID, keys.NewUnknown(kind, name, known))
		}
	}
	return nil
}

// wanted reports whether a list asks for a name; an empty one asks for all. Upper and lower case are one, and so are -
// and _.
func wanted(name string, list []string) bool {
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }
	return len(list) == 0 || slices.ContainsFunc(list, func(s string) bool { return plain(s) == plain(name) })
}
