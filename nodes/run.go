package nodes

import (
	"context"
	"errors"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/excerpt"
	"github.com/bloomgml/bloom/internal/recipe"
	"github.com/bloomgml/bloom/internal/relax"
	"github.com/bloomgml/bloom/internal/settle"
	"github.com/bloomgml/bloom/run"
)

// Options are the options of run.Run, and what is trained in the place of the config's energy.
type Options struct {
	run.Options
	Energies bool // take ℓ_low at the start and the end of the descent with every evaluation
	// Model makes a model of one's own for a task whose data is in place: t.On is what it runs on, t.Classes() the
	// width of its predictions, t.Trial.Seed what its parameters are drawn by and t.Up its ℓ_up. Alone makes a stack
	// of one model. The rest of the config holds: data, training and the name, which is the recipe's. nil means the
	// model of the config.
	Model func(t *Task) (*bloom.Stack, error)
	// Graph is the graph on the disk of a set of rows whose states are relaxed there; nil for others, and where only
	// these rows are asked about.
	Graph *relax.Graph
	// Rows are those of all nodes that train, on the disk, of a set of settled rows that has some of them; nil for
	// others, and where nothing is trained.
	Rows *settle.Rows
	// Parts is the graph on the disk of a set that is one part of it: the others are trained on, or all of its nodes
	// predicted; nil for others, and where only that part is asked about.
	Parts *excerpt.Graph
}

// Run trains the network that c describes on d, as often as c says. For errors see run.Run.
func Run(ctx context.Context, c config.Config, d *dataset.Dataset, o Options) (*run.Result, error) {
	c, err := filled(c)
	if err != nil {
		return nil, err
	}
	o.Data = d
	build := func(trial run.Trial) (run.Job, error) { return jobOf(Build(c, d, trial, o)) }
	return run.Run(ctx, c, Trials(c, d), build, o.Options)
}

// own puts a model of one's own in place. Where there is one relation, edges are undirected, without loops and repeats.
func (t *Task) own(model func(*Task) (*bloom.Stack, error)) error {
	kind := recipe.Relations
	if t.Data.Graph.NumRelations() == 1 {
		kind = recipe.Undirected
	}
	g, err := graphFor(kind, t.Data.Graph)
	if err != nil {
		return err
	}
	if err := t.place(g); err != nil {
		return err
	}
	if t.Stack, err = model(t); err != nil {
		return err
	}
	t.made = model
	if t.Stack.Up == nil {
		return errors.New("nodes: the model has no ℓ_up; Task.Up makes it of a head")
	}
	t.network = bilevel{t.Stack, t.On}
	return nil
}
