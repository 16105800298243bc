package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/blocks"
	"github.com/bloomgml/bloom/internal/budget"
	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/excerpt"
	"github.com/bloomgml/bloom/internal/family"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/relax"
	"github.com/bloomgml/bloom/internal/report"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/link"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/nodes"
	"github.com/bloomgml/bloom/run"
)

// openConfigured loads a config and the data that it names. Where the data is a file of a set that recipes have
// settings for, those settings apply; where it is somebody's own and no recipe is named, what is in the data chooses
// one, and standard error says why. Of data that is nothing but edges links are learnt.
func openConfigured(cmd *cobra.Command, o config.Options) (*config.Config, *dataset.Dataset, error) {
	named := true
	o.Fallback = func() string { named = false; return "" }
	cfg, err := loadConfig(cmd, o)
	if err != nil {
		return nil, nil, err
	}
	d, err := catalogue.Open(cfg.Data.Name)
	if err != nil {
		return nil, nil, badRef(cmd, err)
	}
	if name := strings.ToLower(d.Name); name != strings.ToLower(cfg.Data.Name) {
		o.Catalogue = name
	}
	if !named && cfg.Task == "auto" && onlyEdges(d) {
		cfg.Task, o.Task = "links", "links"
		fmt.Fprintln(cmd.ErrOrStderr(), "Task links, unless --recipe says another: nodes have no classes, and edges "+
			"no relations.")
	}
	o.Fallback = nil
	if cfg.Task == "links" && link.IsKnowledge(d) {
		o.Fallback = func() string { return "base" }
	} else if link.IsKnowledge(d) && !family.Of(config.DefaultRecipe(cfg.Data.Name)).Links() {
		o.Fallback = func() string { return link.DefaultRecipe(d) }
	} else if catalogue.File(cfg.Data.Name) != "" && catalogue.Find(d.Name) == nil && cfg.Family() == family.Nodes {
		name, was := cfg.Data.Name, o
		o.Fallback = func() string { return fitting(cmd, was, name, advised(cmd, d)) }
	}
	if o.Catalogue != "" || o.Fallback != nil {
		if cfg, err = loadConfig(cmd, o); err != nil {
			return nil, nil, err
		}
	}
	return cfg, d, nil
}

// onlyEdges reports whether d has neither classes nor relations nor links to test by.
func onlyEdges(d *dataset.Dataset) bool {
	return d.Labels.Class == nil && len(d.Relations) == 0 && len(d.Valid)+len(d.Test) == 0 && d.Twin == nil
}

// advised is the recipe that data of somebody's own speaks for; empty where it speaks for none.
func advised(cmd *cobra.Command, d *dataset.Dataset) string {
	a, err := nodes.Advise(d)
	if err != nil || a.Recipe == "" {
		return "" // training says what is wrong with the data
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Recipe %s, unless --recipe says another: %s.\n", a.Recipe, a.Reason())
	return a.Recipe
}

// fitting is a recipe that data speaks for, or base where the data is a folder of blocks and that takes more memory
// than there may be.
func fitting(cmd *cobra.Command, o config.Options, ref, recipe string) string {
	file := catalogue.File(ref)
	if recipe == "" || recipe == "base" || budget.Fixed() == 0 || !blocks.Is(file, true) {
		return recipe
	}
	s, err := blocks.Open(file)
	if err != nil {
		return recipe // it was just read
	}
	defer s.Close()
	o.Recipe = recipe
	if need, err := needOf(cmd, s, o); err == nil && need > budget.Limit() {
		notice(cmd)(fmt.Sprintf("recipe base, as %s would take about %s in memory (--memory %s allows it)", recipe,
			budget.Text(need), budget.Text(need+need/8)))
		return "base"
	}
	return recipe
}

// runConfig is the config of a run folder.
func runConfig(cmd *cobra.Command, dir string) (*config.Config, error) {
	file := filepath.Join(dir, "config.yaml")
	if _, err := os.Stat(file); err != nil {
		return nil, badData(fmt.Errorf("%s is no run folder: it has no config.yaml; bloom train makes one", dir))
	}
	c, err := config.Load(config.Options{File: file})
	var at *fileerr.Error
	if errors.As(err, &at) && strings.HasPrefix(at.Text, "no recipe ") {
		return nil, badData(fmt.Errorf("%w. If the model was written in Go, only the program that has it can open "+
			"the run: nodes.Load does, and report.WriteOwn makes its page", err))
	}
	if err != nil {
		return nil, runError(cmd, err)
	}
	noteUnsealed(cmd, dir)
	return c, nil
}

// noteUnsealed tells of files of a run folder that cannot be checked.
func noteUnsealed(cmd *cobra.Command, dir string) {
	if !durable.Sealed(dir) {
		notice(cmd)(fmt.Sprintf("%s has no %s, as older versions wrote none: whether its files have changed cannot be "+
			"told", terminal.Show(dir), durable.SumsFile))
		return
	}
	names, _ := durable.Unlisted(dir) // what cannot be read is said where it is needed
	if names = slices.DeleteFunc(names, func(name string) bool { return !isRunFile(name) }); len(names) == 0 {
		return
	}
	notice(cmd)(fmt.Sprintf("%s of %s does not list %s: whether that has changed cannot be told", durable.SumsFile,
		terminal.Show(dir), terminal.Show(strings.Join(names, ", "))))
}

// isRunFile reports whether a file of a run folder says what was trained, and is no checkpoint, which has a checksum of
// its own.
func isRunFile(name string) bool {
	return !strings.HasPrefix(name, "checkpoint/") && slices.ContainsFunc(runFiles, func(pattern string) bool {
		match, _ := path.Match(pattern, name)
		return match
	})
}

// openRun is the config of a run folder and its data, or the data that --data names in its place. From then on
// products are rounded as they were when it was trained.
func openRun(cmd *cobra.Command, dir, data string) (*config.Config, *dataset.Dataset, error) {
	c, d, err := run.Configured(dir, data)
	if err != nil {
		return nil, nil, badRef(cmd, err)
	}
	_ = mat.Round(mat.Precision(c.Train.Precision)) // float32, which is closer, where the device cannot
	if _, err := os.Stat(filepath.Join(dir, "data.json")); err != nil {
		notice(cmd)(fmt.Sprintf("%s does not say what its data was, as older versions wrote none of that: whether it "+
			"has changed cannot be told", terminal.Show(dir)))
	}
	return c, d, nil
}

// keptLine is what a run has kept of its graph.
type keptLine struct {
	Nodes int `json:"nodes"`
	Of    int `json:"of"` // nodes of the graph
}

// newKeptLine is nil where it has kept all of it.
func newKeptLine(d *dataset.Dataset) *keptLine {
	if d.Of == 0 {
		return nil
	}
	return &keptLine{d.Graph.NumNodes(), d.Of}
}

// noteKept says so.
func noteKept(cmd *cobra.Command, d *dataset.Dataset) {
	if kept := report.Kept(d); kept != "" {
		notice(cmd)(kept)
	}
}

// dataFlag is the flag of commands about a run.
func dataFlag(cmd *cobra.Command, data *string) {
	cmd.Flags().StringVar(data, "data", "", "the run's data where it lies now, or a newer `file` with the same columns")
}

// graphName is the file of a run folder that says where its graph lies, which stays on the disk: the folder of blocks,
// absolute and as seen from the run folder, whose split was trained on, and how features were scaled, a line each.
const graphName = "graph.path"

// noteGraph writes it.
func noteGraph(dir, graph string, c config.Data) error {
	path, err := filepath.Abs(graph)
	if err != nil {
		return err
	}
	here, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	beside, err := filepath.Rel(here, path)
	if err != nil {
		beside = path // on another drive
	}
	return durable.Replace(filepath.Join(dir, graphName), durable.Options{}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s\n%s\n%d\n%s\n", path, filepath.ToSlash(beside), c.Split, c.Scale)
		return err
	})
}

// graphOf is where the graph of a run folder is now, with the split and the scaling; empty for a run whose data is all
// there is.
func graphOf(dir string) (path string, c config.Data) {
	text, err := os.ReadFile(filepath.Join(dir, graphName))
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) < 4 {
		return "", c
	}
	c.Split, _ = strconv.Atoi(lines[2])
	c.Scale = lines[3]
	if beside := filepath.Join(dir, filepath.FromSlash(lines[1])); blocks.Is(beside, true) {
		return beside, c
	}
	return lines[0], c
}

// openDiskRun is openRun, and the graph that stays on the disk: where --data names it, or where a run goes on whose
// states are relaxed or which has parts of it; none for others.
func openDiskRun(cmd *cobra.Command, dir, data string, goesOn bool) (*config.Config, *dataset.Dataset, onDisk,
	error) {
	folder, was := graphOf(dir)
	asked := folder != "" && blocks.Is(data, data != "")
	if asked {
		folder, data = data, ""
	}
	c, d, err := openRun(cmd, dir, data)
	if err != nil || folder == "" || !asked && !goesOn {
		return c, d, onDisk{}, err
	}
	s, err := blocks.Open(folder)
	if err != nil {
		return nil, nil, onDisk{}, err
	}
	if !slices.Equal(s.Classes, d.Labels.Names) {
		err := fileerr.In(folder, "its classes are %q, and those of the run %q", s.Classes, d.Labels.Names)
		return nil, nil, onDisk{}, errors.Join(err, s.Close())
	}
	g, now, err := graphFor(cmd.Context(), s, c, d, was)
	if err == nil && goesOn && now != nil {
		err = unchanged(s, d, now)
	}
	if err != nil || goesOn && now == nil {
		return c, d, onDisk{}, errors.Join(err, s.Close())
	}
	if g.parts != nil {
		g.parts.Scratch = dir
	} else {
		g.graph.Scratch = dir
	}
	return c, d, g, nil
}

// graphFor is the graph of s for a run whose data is d, and what would be its data now; nil where it goes on without
// the graph.
func graphFor(ctx context.Context, s *blocks.Store, c *config.Config, d *dataset.Dataset,
	was config.Data) (g onDisk, now func() (*dataset.Dataset, error), err error) {
	if d.Settled == "" {
		g.parts, err = excerpt.New(ctx, s, partsOf(c, was.Split, was.Scale))
		return g, func() (*dataset.Dataset, error) { return g.parts.Dataset() }, err
	}
	disk, err := nodes.NewDisk(*c, s.Columns, s.Classes)
	if err != nil {
		return g, nil, err
	}
	g.graph, err = relax.NewGraph(ctx, s, relax.Options{Scale: c.Data.Scale, Split: was.Split, Seed: c.Train.Seed,
		Memory: budget.Limit()})
	if disk.Once {
		return g, nil, err
	}
	return g, func() (*dataset.Dataset, error) { return g.graph.Dataset(disk.Energy) }, err
}

// unchanged is the error for a graph that is another one now.
func unchanged(s *blocks.Store, d *dataset.Dataset, now func() (*dataset.Dataset, error)) error {
	is, err := now()
	if err != nil {
		return err
	}
	if changes := d.Fingerprint().Changes(is.Fingerprint()); len(changes) > 0 {
		return fileerr.In(s.Dir(), "the run cannot go on, as its graph is another one now: %v", changes)
	}
	return nil
}
