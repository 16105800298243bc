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

	"github.com/bloomgml/bloom/internal/files"
)

// Cells are the cells of the experiment, of the files below a folder, in the order of rows and, within a row, of the
// file names. It leaves out the one check of Parse that takes long, that of the settings: a test makes it for the cells
// of this repository.
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
// reason why there is none for everything that is measured, and as many of our values as seeds. The error is a
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

// read is Parse without a look at the settings.
func read(name string, text []byte) (*Cell, error) {
	c := &Cell{file: name}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(c); err != nil {
		return nil, files.Because(name, err)
	}
	if want := c.Row + "-" + c.set() + ".yaml"; filepath.Base(name) != want {
		return nil, files.Errorf(name, "row %q on %q belongs into %s", c.Row, c.Data, want)
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
		return fmt.Errorf("about: says nothing")
	case c.Budget == "":
		return fmt.Errorf("budget: says nothing; it is how much was searched, on which nodes, or none")
	case len(c.Numbers) == 0:
		return fmt.Errorf("numbers: none")
	}
	seen := map[string]bool{}
	for _, n := range c.Numbers {
		if err := n.check(); err != nil {
			return fmt.Errorf("numbers: %q: %w", n.Name, err)
		}
		if seen[n.Name] {
			return fmt.Errorf("numbers: %q stands twice", n.Name)
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
		return fmt.Errorf("published: there is no mean; say none: why where the paper has no such number")
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
			return fmt.Errorf("ours: %q: %v is not what was to be reached: tried must say what was tried", n.Name,
				s.Mean)
		}
	}
	return nil
}
