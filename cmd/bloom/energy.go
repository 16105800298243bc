package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/inspect"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/task/node"
)

type energyCommand struct {
	json    bool
	message string
	svg     output
	options inspect.Options
}

func newEnergy() *cobra.Command {
	c := &energyCommand{}
	cmd := &cobra.Command{
		Use:   "energy RECIPE|FILE",
		Short: "Take an energy apart: formula, derived layer, gradient check, step bound, energy per step",
		Long: fmt.Sprintf(`Take an energy apart.

Shows the formula of the energy, the message, aggregation and update of the layer that follow from it, the
gradient against finite differences, the longest step that is certified not to raise the energy, and the
energy step by step, on a small random graph. For a stack it shows one level, and how far each descends. Exits
with 1 if the gradient is wrong or the descent fails.

%s

A file (YAML or JSON), or the key energy of a config, describes an energy of your own:

  f: [{term: laplace, lambda: 1, norm: symmetric}]
  kappa: [{anchor: huber, threshold: 1}]
  eta: nonnegative
  descent: {algorithm: momentum, beta: 0.9, gamma: safe, sigma: degree}
  steps: 16

--message asks instead whether a message function is the gradient of some energy, by comparing its
cross-derivatives with those of the inverse message, and names the entry that disagrees most.
%s`, named("Recipes", recipe.Names()), named("Message functions", inspect.MessageNames())),
		Example: `  bloom energy base
  bloom energy heterophily-huber --steps 40 --seed 7
  bloom energy distmult --nodes 50 --json
  bloom energy robust --svg trace.svg
  bloom energy --message relu-difference
  echo '{f: {term: laplace}, kappa: {anchor: welsch}}' | bloom energy -`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&c.json, "json", false, "print one JSON object")
	f.IntVar(&c.options.Steps, "steps", -1, "steps of the descent, -1 for the number of layers of the recipe")
	f.Uint64Var(&c.options.Seed, "seed", 1, "seed of the random graph and the parameters")
	f.IntVar(&c.options.Nodes, "nodes", 24, "nodes of the random graph")
	f.StringVar(&c.svg.path, "svg", "", "also draw the energy per step as this SVG `file`")
	c.svg.forced(cmd)
	f.StringVar(&c.message, "message", "", "a message function to check: is it the gradient of an energy?")
	return cmd
}

// named returns a list of names after its title, in lines of at most 100 letters.
func named(title string, names []string) string {
	return strings.Join(show.Wrap(title+": "+strings.Join(names, ", ")+".", 100), "\n")
}

// Limits of the built-in graph: beyond them nothing more is to be seen.
const maxNodes = 10000

func (c *energyCommand) run(cmd *cobra.Command, args []string) error {
	switch {
	case c.options.Nodes < 3 || c.options.Nodes > maxNodes:
		return usage(cmd, "--nodes is %d, want 3 to %d", c.options.Nodes, maxNodes)
	case c.options.Steps < -1 || c.options.Steps > recipe.MaxSteps:
		return usage(cmd, "--steps is %d, want -1 to %d", c.options.Steps, recipe.MaxSteps)
	case cmd.Flags().Changed("message") && c.svg.path != "":
		return usage(cmd, "--message has no steps that --svg could draw")
	case cmd.Flags().Changed("message") && len(args) > 0:
		return usage(cmd, "--message takes no recipe, got %q", args[0])
	case cmd.Flags().Changed("message"):
		found, err := inspect.Judge(c.message, c.options.Seed)
		if err != nil {
			return usage(cmd, "%v", err)
		}
		return printFound(cmd, c.json, found, func(w io.Writer, p show.Paint) { printJudgement(w, p, found) })
	case len(args) != 1:
		return usage(cmd, "want one recipe or file, got %d; recipes are %s", len(args),
			strings.Join(recipe.Names(), " "))
	}
	run, err := load(cmd, args[0])
	if err != nil {
		return err
	}
	if err := c.svg.allow(c.svg.rules(isDrawing, args...)); err != nil {
		return err
	}
	return c.inspect(cmd, run, args...)
}

// inspection is the work on an energy.
type inspection func(context.Context, inspect.Options) (*inspect.Report, error)

// inspecting returns the work on the energy of a recipe.
func inspecting(r *recipe.Recipe) inspection {
	return func(ctx context.Context, o inspect.Options) (*inspect.Report, error) { return inspect.Run(ctx, r, o) }
}

// load returns the recipe of that name, or else reads one from a file; - is standard input.
func load(cmd *cobra.Command, name string) (inspection, error) {
	r, err := recipe.Find(name)
	if err == nil {
		c, err := config.Default(name, "")
		switch {
		case err != nil:
			return nil, err
		case embeds(name):
			return embedding(c)
		}
		return levelled(c, inspecting(r)), nil
	}
	text, ferr := readFile(cmd, name)
	if ferr != nil {
		if errors.Is(ferr, os.ErrNotExist) {
			if strings.ContainsAny(name, `./\`) { // more like a file than a recipe
				return nil, badData(fmt.Errorf("%s: there is no such file", name))
			}
			return nil, usage(cmd, "%q is neither a recipe nor a file%s", name, keys.Suggest(name, recipe.Names(), ""))
		}
		return nil, badData(ferr)
	}
	if name == "-" {
		name = "stdin"
	}
	if config.Recognise(text) {
		return energyOf(cmd, name, text)
	}
	if r, err = recipe.Read(name, text); err != nil {
		return nil, badData(err)
	}
	return inspecting(r), nil
}

// embeds reports whether a recipe gives entities rows of their own.
func embeds(name string) bool {
	kind := config.FamilyOf(name)
	return kind == config.Embeddings || kind == config.Bilevel
}

// embedding returns the energy that a config of embeddings trains.
func embedding(c *config.Config) (inspection, error) {
	k, err := kg.FromConfig(*c)
	if err != nil {
		return nil, err
	}
	e := kg.Inspected{Recipe: c.Energy, Config: k, Optimizer: c.Train.Optimizer, Rate: c.Train.Rate}
	return func(ctx context.Context, o inspect.Options) (*inspect.Report, error) {
		return kg.Inspect(ctx, e, o)
	}, nil
}

func energyOf(cmd *cobra.Command, name string, text []byte) (inspection, error) {
	c, err := loadConfig(cmd, config.Options{File: name, Text: text})
	switch {
	case err != nil:
		return nil, err
	case config.FamilyOf(c.Recipe) == config.Zero:
		r, err := recipe.Find(c.Recipe)
		return inspecting(r), err
	case config.FamilyOf(c.Recipe) == config.Paths:
		return inspecting(recipe.PathModel(c.Facts.Message, c.Facts.Aggregate, c.Model.Layers)), nil
	case embeds(c.Recipe):
		return embedding(c)
	case c.Energy == nil && !config.IsBaseline(c.Recipe):
		return nil, badData(fmt.Errorf("%s: the config of %s has no key energy; bloom energy %s shows it", name,
			c.Recipe, c.Recipe))
	case c.Energy == nil:
		return nil, badData(fmt.Errorf("%s: %s is a baseline, which has no energy", name, c.Recipe))
	}
	return levelled(c, inspecting(c.Energy)), nil
}

// levelled returns the work on one energy and, where c trains a stack, on every level of it.
func levelled(c *config.Config, one inspection) inspection {
	if c.Stack.Levels < 2 {
		return one
	}
	return func(ctx context.Context, o inspect.Options) (*inspect.Report, error) {
		r, err := one(ctx, o)
		if err == nil {
			r.Levels, err = levelsOf(*c, o)
		}
		return r, err
	}
}

// levelsOf returns how far every level of the network of c descends before it is trained, on a random graph with
// features.
func levelsOf(c config.Config, o inspect.Options) ([]inspect.Level, error) {
	d, err := catalogue.Open(fmt.Sprintf("csbm:nodes=%d,degree=4,seed=%d", max(o.Nodes, 24), o.Seed%1e6))
	if err != nil {
		return nil, err
	}
	energy := *c.Energy
	if c.Energy = &energy; o.Steps >= 0 {
		energy.L = o.Steps
	}
	e, err := node.NewEncoder(c, d, o.Seed)
	if err != nil {
		return nil, err
	}
	all, err := e.Stack.Evidence(e.On)
	var list []inspect.Level
	for k, x := range all {
		list = append(list, inspect.Level{Level: k + 1, Energy: x.Energy, Drop: x.Drop(), Residual: x.Residual})
	}
	return list, err
}

// readFile reads a file, or the standard input for -.
func readFile(cmd *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	return os.ReadFile(name)
}

// inspect shows a recipe; if the descent fails, what was found before is shown first.
func (c *energyCommand) inspect(cmd *cobra.Command, run inspection, inputs ...string) error {
	found, failed := run(cmd.Context(), c.options)
	if found == nil || errors.Is(failed, context.Canceled) {
		return failed
	}
	err := printFound(cmd, c.json, found, func(w io.Writer, p show.Paint) {
		printEnergy(w, p, show.IsTerminal(w), found)
	})
	if err == nil && len(found.Trace) > 0 && c.svg.path != "" {
		text := show.ChartFile("Energy of "+found.Recipe+" per step", show.Axes{Below: "step", Left: "energy",
			Count: true}, traceCurves(found.Trace)...)
		err = c.svg.write(cmd, c.svg.rules(isDrawing, inputs...), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	switch {
	case err != nil:
		return err
	case failed != nil:
		return failed
	case !found.Gradient.OK:
		return fmt.Errorf("the gradient differs from finite differences by %.1e, and %.0e is allowed",
			found.Gradient.Error, found.Gradient.Limit)
	}
	return nil
}
