package node

import (
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
)

// candidate is a recipe that may be compared with others.
type candidate struct {
	name, recipe string
	set          string // settings, with spaces between them
	suits        func(*dataset.Dataset) bool
}

// settings returns the settings of c on d: an epoch of consistent is long on graphs of more than largeGraph nodes, so
// it has fewer of them there, and fewer draws.
func (c candidate) settings(d *dataset.Dataset) []string {
	if c.recipe == "consistent" && d.Graph.NumNodes() > largeGraph {
		return []string{"train.epochs=60", "train.rate=0.03", "train.consistency.samples=2"}
	}
	return strings.Fields(c.set)
}

const largeGraph = 10_000

// short are the settings of models of layers in a race.
const short = " train.epochs=300 train.patience=60"

// candidates are sorted from simple to complicated: among equally good ones the earliest is chosen.
var candidates = []candidate{
	{"closed", "closed", "", func(*dataset.Dataset) bool { return true }},
	{"closed-alike", "closed", "model.alike=true", func(d *dataset.Dataset) bool {
		return d.Raw != nil && d.Times == nil
	}},
	{"trees", "trees", "", hasColumns},
	{"mlp", "mlp", short + " data.weights=none", hasFeatures},
	{"base", "base", short, hasEdges},
	{"consistent", "consistent", "train.epochs=200", func(d *dataset.Dataset) bool {
		return hasEdges(d) && hasFeatures(d) && d.Labels.Task == "" && fewTeach(d) && d.Graph.NumRelations() == 1
	}},
	{"trees-in-energy", "base", "model.input=trees model.neighbours=true model.closed=true model.alike=true " +
		"model.after=0 energy.f.norm=symmetric energy.steps=8 train.epochs=200 train.rate=0.1 train.patience=30",
		func(d *dataset.Dataset) bool { return hasEdges(d) && hasColumns(d) }},
	{"robust", "robust", short, func(d *dataset.Dataset) bool { return hasEdges(d) && hasFeatures(d) }},
	{"gcn", "gcn", short, func(d *dataset.Dataset) bool { return hasEdges(d) && hasFeatures(d) }},
	{"lp-trained", "lp-trained", "", func(d *dataset.Dataset) bool {
		return hasEdges(d) && !hasFeatures(d) && d.Labels.Task == ""
	}},
	{"halo", "halo", " train.epochs=300", func(d *dataset.Dataset) bool { return d.Graph.NumRelations() > 1 }},
	{"heterophily", "heterophily", short + " model.hidden=64", hasEdges},
	{"stack-compat", "stack-compat", "stack.levels=4 train.epochs=150 train.warmup=10 model.hidden=32", hasEdges},
	{"stack-deep", "stack-compat", "stack.levels=8 train.epochs=300 train.warmup=10 train.rate=0.02 model.hidden=32",
		func(d *dataset.Dataset) bool { return hasEdges(d) && !undivided(d) }},
}

func hasEdges(d *dataset.Dataset) bool    { return d.Graph.NumEdges() > 0 }
func hasFeatures(d *dataset.Dataset) bool { return slices.ContainsFunc(d.Features, has) }
func hasColumns(d *dataset.Dataset) bool  { return hasFeatures(d) || hasEdges(d) }

// fewTeach reports whether less than a tenth are training nodes: then nodes without labels matter most.
func fewTeach(d *dataset.Dataset) bool {
	teach := 0
	if undivided(d) {
		for _, class := range d.Labels.Class {
			if class >= 0 {
				teach++
			}
		}
	} else {
		teach = len(d.Splits[0].Train)
	}
	return 10*teach < len(d.Labels.Class)
}

// undivided reports whether candidates are compared by folds because d has no split of its own.
func undivided(d *dataset.Dataset) bool { return d.DrawnSplit || len(d.Splits) == 0 }

// turns is the order in which candidates are tried while there is time: cheap and often best ones first.
func turns(d *dataset.Dataset) []string {
	order := "closed trees gcn stack-compat lp-trained halo stack-deep base mlp trees-in-energy heterophily robust"
	switch {
	case fewTeach(d):
		order = "closed base consistent gcn lp-trained halo mlp trees robust heterophily trees-in-energy stack-compat"
	case undivided(d): // every candidate is trained for several folds
		order = "closed trees trees-in-energy base lp-trained halo gcn mlp heterophily robust stack-compat"
	}
	order = second(order, "closed-alike")
	if d.Graph.NumRelations() > 1 {
		order = second(order, "halo")
	}
	if isTable(d) {
		order = second(order, "trees")
	}
	return strings.Fields(order)
}

// second returns an order in which a candidate comes right after the first.
func second(order, name string) string {
	first, rest, _ := strings.Cut(strings.Replace(order, " "+name, "", 1), " ")
	return first + " " + name + " " + rest
}

// isTable reports whether nodes with labels have columns besides texts and what is made of edges.
func isTable(d *dataset.Dataset) bool {
	if d.Schema == nil || d.Raw == nil {
		return false
	}
	return slices.ContainsFunc(d.Schema.Types, func(s dataset.TypeSchema) bool {
		return s.Label != "" && slices.ContainsFunc(s.Columns, func(c dataset.Column) bool {
			return c.Name != s.Label && c.Kind != dataset.Text && c.Kind != dataset.Skipped && !d.Schema.Made(c.Name)
		})
	})
}

// CandidateNames returns the names of the candidates that Race may compare.
func CandidateNames() (names []string) {
	for _, c := range candidates {
		names = append(names, c.name)
	}
	return names
}
