package main

import (
	"context"
	"slices"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/keys"
)

// Experiment is a table or a figure of the paper.
type Experiment struct {
	ID     string
	Title  string
	Source string // its label in the paper's LaTeX
	Rows   []string

	folder  string // of its cells and of its runs; experiments with the same rows share it
	margins []margin
	measure func(context.Context, job) (Outcome, error)
	draw    func(*Report) []Figure // nil for a table alone
}

// margin is the difference of one number of two rows, which the paper does not print but its readers compute.
type margin struct {
	name    string
	row, of string // row − of
	number  string
	atLeast *float64
}

// job is one run of a cell.
type job struct {
	cell   *Cell
	config config.Config // with the seed of the run
	data   *dataset.Dataset
	run    int // from 0
	bases  *bases
}

// Outcome is what one run gave.
type Outcome struct {
	Valid    float64            `json:"valid"`              // what chooses among settings; a percentage
	Numbers  map[string]float64 `json:"numbers"`            // by the names of the cell
	Curves   []Curve            `json:"curves,omitempty"`   // for figures
	Diverged string             `json:"diverged,omitempty"` // why there are no numbers, where the settings are at fault
}

// Curve is a line of a figure.
type Curve struct {
	Panel string    `json:"panel"` // the figure it belongs to
	Name  string    `json:"name"`
	X     []float64 `json:"x"`
	Y     []float64 `json:"y"`
}

func limit(v float64) *float64 { return &v }

// comparators are the baselines of the heterophily tables, those that the paper quotes first.
var comparators = []string{"fagcn", "fsgnn", "gbk", "jacobi", "mlp", "gcn", "gat", "sage",
	"mlp-blocks", "gcn-blocks", "gat-blocks", "sage-blocks"}

// experiments are all tables and figures, in the order of the paper, and studies beyond it.
var experiments = slices.Concat(classTables, factTables, figures, studies)

// classTables are those about classes of nodes.
var classTables = []*Experiment{
	{ID: "noise", Title: "spurious input features: a fifth of the nodes has noise for features",
		Source: "tab: noise_full", folder: "noise",
		Rows: []string{"gcn", "base", "robust", "base-searched", "robust-searched", "gcn-l1", "base-l1", "robust-l1",
			"base-normalised", "robust-normalised", "base-c5", "robust-c5", "base-c10", "robust-c10"},
		measure: measureTraining,
		margins: []margin{
			{"robust − base", "robust", "base", "test", limit(4)},
			{"robust − base, searched", "robust-searched", "base-searched", "test", nil},
			{"robust − base, normalised", "robust-normalised", "base-normalised", "test", nil},
			{"robust − gcn", "robust", "gcn", "test", limit(0)},
		}},
	{ID: "heterophily", Title: "node classification on heterophilous graphs", Source: "tab: heter",
		folder: "heterophily",
		Rows: append(comparators[:4:4], "base", "quadratic-learned", "huber", "base-certified", "quadratic-certified",
			"huber-certified", "quadratic-forced", "huber-forced"), measure: measureTraining,
		margins: []margin{
			{"without Huber − base", "quadratic-learned", "base", "test", limit(2)},
			{"Huber − without", "huber", "quadratic-learned", "test", nil},
			{"without Huber − base, certified", "quadratic-certified", "base-certified", splits, nil},
			{"Huber − without, certified", "huber-certified", "quadratic-certified", splits, nil},
			{"forced − certified, quadratic κ", "quadratic-forced", "quadratic-certified", splits, nil},
			{"forced − certified, Huber κ", "huber-forced", "huber-certified", splits, nil}}},
	{ID: "full", Title: "heterophily with all rows and baselines", Source: "tab: heter_full", folder: "heterophily",
		Rows: append(slices.Clone(comparators), "base", "quadratic", "quadratic-learned", "huber", "huber-learned",
			"base-certified", "quadratic-certified", "huber-certified", "quadratic-forced", "huber-forced"),
		measure: measureTraining},
	{ID: "lambda", Title: "λ learned or searched", Source: "tab:heter_ablation", folder: "heterophily",
		Rows: []string{"quadratic", "quadratic-learned", "huber", "huber-learned"}, measure: measureTraining,
		margins: []margin{
			{"learned − searched, without Huber", "quadratic-learned", "quadratic", "test", limit(-1)},
			{"learned − searched, Huber", "huber-learned", "huber", "test", limit(-1)}}},
	{ID: "momentum", Title: "descent with and without momentum", Source: "tab: momentum", folder: "momentum",
		Rows: []string{"plain", "averaged", "heavy-ball", "plain-normalised", "averaged-normalised",
			"heavy-ball-normalised", "plain-deeper", "averaged-deeper", "heavy-ball-deeper"},
		measure: measureTraining, margins: []margin{
			{"averaged − plain", "averaged", "plain", "test", nil},
			{"heavy ball − plain", "heavy-ball", "plain", "test", nil},
			{"averaged − plain, normalised", "averaged-normalised", "plain-normalised", "test", nil},
			{"heavy ball − plain, normalised", "heavy-ball-normalised", "plain-normalised", "test", nil},
			{"averaged − plain, deeper", "averaged-deeper", "plain-deeper", "test", nil},
			{"heavy ball − plain, deeper", "heavy-ball-deeper", "plain-deeper", "test", nil}}},
	{ID: "halo", Title: "heterogeneous graphs, with a matrix for every relation", Source: "tab: halo", folder: "halo",
		Rows: []string{"rgcn", "quadratic", "huber", "logcosh", "quadratic-certified", "huber-certified",
			"logcosh-certified", "rgcn-typed", "quadratic-typed", "huber-typed", "logcosh-typed"},
		measure: measureTraining, margins: []margin{
			{"Huber − quadratic", "huber", "quadratic", "test", nil},
			{"log-cosh − quadratic", "logcosh", "quadratic", "test", nil},
			{"Huber − quadratic, certified", "huber-certified", "quadratic-certified", "test", nil},
			{"log-cosh − quadratic, certified", "logcosh-certified", "quadratic-certified", "test", nil},
			{"HALO − R-GCN, relations by type", "quadratic-typed", "rgcn-typed", "test", nil}}},
}

// factTables are those about facts of knowledge graphs.
var factTables = []*Experiment{
	{ID: "kgc", Title: "completion of knowledge graphs of entities that were not trained on", Source: "tab: kgc",
		folder: "kgc",
		Rows: []string{"refactor", "pna-transe", "sum-transe", "pna-distmult", "sum-distmult", "bilevel-distmult",
			"pna-transe-scheduled", "sum-transe-scheduled", "pna-distmult-scheduled", "sum-distmult-scheduled"},
		measure: measureRanks, margins: []margin{
			{"DistMult − TransE, PNA", "pna-distmult", "pna-transe", of50, nil},
			{"DistMult − TransE, Sum", "sum-distmult", "sum-transe", of50, nil}}},
	{ID: "kge", Title: "embeddings of knowledge graphs, entities and relations trained together",
		Source: "eq:kge_basic_loss", folder: "kge",
		Rows: []string{"transe", "distmult", "complex", "rotate"}, measure: measureRanks},
	{ID: "new-entities", Title: "entities that were held out, placed by steps of descent, against training again",
		Source: "eq:BloomGML_kge_model", folder: "new-entities",
		Rows: []string{"distmult", "distmult-bilevel"}, measure: measureNewcomers,
		draw: drawCurves("steps", axis{label: "MRR (%)"})},
}

// figures are those that are drawn.
var figures = []*Experiment{
	{ID: "lp", Title: "label propagation and graph-regularised MLPs", Source: "tab: lp_gmlp", folder: "lp",
		Rows: []string{"lp", "gr-mlp-wide", "gr-mlp"}, measure: measurePropagation,
		draw:    drawCurves("steps", axis{label: "accuracy (%)"}),
		margins: []margin{{"gr-mlp-wide − lp", "gr-mlp-wide", "lp", "test", nil}}},
	{ID: "energy-figure", Title: "energy against steps, with and without momentum", Source: "fig: energy",
		folder: "energy-figure",
		Rows:   []string{"base"}, measure: measureEnergy,
		draw: drawCurves("steps", axis{label: "gap to the minimum (ℓ − ℓ*)/ℓ*", log: true})},
	{ID: "layernorm-figure", Title: "rows of norm one, by projection and by penalty", Source: "fig: layernorm",
		folder: "layernorm-figure",
		Rows:   []string{"unit-norm"}, measure: measureUnitNorm,
		draw: drawCurves("steps", axis{"energy", "energy", false}, axis{"deviation", "largest |‖h‖ − 1|", true})},
	{ID: "norm-figure", Title: "how far the ends of label-changing edges are apart, with Huber edges and " +
		"quadratic ones", Source: "fig:norm_dist",
		folder: "norm-figure", Rows: []string{"edge-huber"}, measure: measureDistances,
		draw: drawCurves("‖h_u − h_v‖ / median over all edges", axis{label: "density"})},
}

// beyond is the source of what the paper does not measure.
const beyond = "not in the paper"

// studies are what the paper does not measure.
var studies = []*Experiment{
	{ID: "audit", Title: "faults in a tenth of a data set, found among the first as many, beside simple methods",
		Source: beyond, folder: "audit", Rows: audit.Faults, measure: measureAudit},
	{ID: "links", Title: "links between nodes: edges held out 85/5/10, beside methods without embeddings",
		Source: beyond, folder: "links", Rows: append(plainLinks[:4:4], "base"), measure: measureLinks,
		margins: []margin{{"base − logistic", "base", "logistic", "roc_auc", limit(0)}}},
	{ID: "coverage", Title: "sets of classes that hold the truth with probability 0.9, over 100 random divisions",
		Source: beyond, folder: "coverage", Rows: []string{"default"}, measure: measureCoverage},
	{ID: "numbers", Title: "a number of every node, beside ridge regressions", Source: beyond, folder: "numbers",
		Rows: []string{"ridge", "ridge-neighbours", "base"}, measure: measureNumbers,
		margins: []margin{{"base − ridge, neighbours", "base", "ridge-neighbours", "r2", nil}}},
	{ID: "beyond", Title: "stacks of energies, single energies and networks, each searched in as many settings",
		Source: beyond, folder: "beyond", measure: measureTraining,
		Rows: []string{"stack-bundle", "stack-compat", "stack-laplace", "bundle", "heterophily", "base", "consistent",
			"consistent-features", "gcn", "gat", "sage", "stack-bundle-wide", "consistent-wide",
			"gcn-wide", "sage-wide"},
		margins: []margin{
			{"stack − one, bundle", "stack-bundle", "bundle", splits, nil},
			{"stack − one, compatibility", "stack-compat", "heterophily", splits, nil},
			{"stack − one, base", "stack-laplace", "base", splits, nil},
			{"stack of bundles − gcn", "stack-bundle", "gcn", splits, nil},
			{"consistent − base", "consistent", "base", test, nil}}},
	{ID: "descents", Title: "other algorithms as the descent: one energy, each searched in as many settings",
		Source: beyond, folder: "descents", measure: measureTraining,
		Rows: []string{"plain", "averaged", "heavy-ball", "adagrad", "rmsprop", "adam"},
		margins: []margin{
			{"averaged − plain", "averaged", "plain", test, nil},
			{"heavy ball − plain", "heavy-ball", "plain", test, nil},
			{"AdaGrad − plain", "adagrad", "plain", test, nil}, {"RMSProp − plain", "rmsprop", "plain", test, nil},
			{"Adam − plain", "adam", "plain", test, nil}}},
	{ID: "kge-plain", Title: "embeddings of facts with and without message passing, each searched in as many settings",
		Source: beyond, folder: "kge-plain", measure: measureRanks,
		Rows: []string{"distmult", "distmult-layers", "complex", "complex-layers", "transe", "transe-layers"},
		margins: []margin{
			{"without − with, DistMult", "distmult", "distmult-layers", "mrr", nil},
			{"without − with, ComplEx", "complex", "complex-layers", "mrr", nil},
			{"without − with, TransE", "transe", "transe-layers", "mrr", nil}}},
	{ID: "noise-typed", Title: "spurious features on graphs with types of nodes, each searched in as many settings",
		Source: beyond, folder: "noise-typed", measure: measureTraining,
		Rows: []string{"quadratic", "huber", "logcosh"},
		margins: []margin{
			{"Huber − quadratic", "huber", "quadratic", test, nil},
			{"log-cosh − quadratic", "logcosh", "quadratic", test, nil}}},
	{ID: "unseen", Title: "stacks and single energies with settings as they are, on graphs nothing was searched on",
		Source: beyond, folder: "unseen", measure: measureTraining,
		Rows: append(slices.Clone(unseenRows), "stack-bundle-second", "stack-compat-second", "stack-laplace-second",
			"base-second", "robust-second", "heterophily-second", "heterophily-huber-second", "bundle-second"),
		margins: []margin{
			{"stack − one, bundle", "stack-bundle", "bundle", splits, nil},
			{"stack − one, compatibility", "stack-compat", "heterophily", splits, nil},
			{"stack − one, base", "stack-laplace", "base", splits, nil}}},
}

// unseenRows are the stacks and single energies of study unseen.
var unseenRows = []string{"stack-bundle", "stack-compat", "stack-laplace", "base", "robust", "heterophily",
	"heterophily-huber", "bundle"}

// Find is the experiment of a name.
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
