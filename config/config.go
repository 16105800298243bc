// Package config is everything a training run can be told, as one tree of keys. The same structs
// decode from a file, from BLOOM_* variables and from --set; every key is described once, here.
package config

import (
	"time"

	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/part"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/upper"
)

// Config is a training run: what, on which data, how. The tag key is the name in files and in
// --set, doc the description that help, files, the schema and the documentation show, range the
// interval of a number, oneof the words that a text can be, and for the families of recipes that have
// the key; without it all have.
type Config struct {
	Recipe string         `key:"recipe" doc:"name of a recipe or a baseline; the keys below start from its settings for the data set"`
	Task   Task           `key:"task" doc:"what is learnt"`
	Data   Data           `key:"data" doc:"what is learnt from"`
	Energy *recipe.Recipe `key:"energy" for:"nodes pairs embeddings bilevel" doc:"the lower level: f, kappa, eta, descent, steps; a baseline has none"`
	Stack  Stack          `key:"stack" for:"nodes pairs" doc:"energies above each other"`
	Model  Model          `key:"model" doc:"π(x; W) before the descent and g(h; Θ) after it"`
	Facts  Facts          `key:"link" for:"facts" doc:"how facts of a knowledge graph are learnt"`
	Pairs  Pairs          `key:"pairs" for:"pairs" doc:"how links of a graph are learnt and tested"`
	Train  Train          `key:"train" doc:"the upper level"`
}

// Data holds the settings of the data to learn from.
type Data struct {
	Name         string  `key:"name" doc:"a catalogue name, a file or a folder"`
	Split        int     `key:"split" for:"nodes" range:"[0,∞)" doc:"which of the given splits the first run uses; with repeat, run i uses split+i modulo their number where splits is all"`
	Splits       string  `key:"splits" for:"nodes" oneof:"one all" doc:"one: every run of a repeat uses the same split; all: run i uses the i-th"`
	Folds        int     `key:"folds" for:"nodes" range:"[0,100]" doc:"0: the split of the data says which nodes teach, validate and test; 2 or more: all labelled nodes teach but those of data.holdout, after a cross-validation over as many folds that measures, and chooses the epoch and thresholds"`
	Holdout      float64 `key:"holdout" for:"nodes" range:"[0,1)" doc:"share of the labelled nodes that is kept to test where data.folds is not 0"`
	Scale        string  `key:"scale" for:"nodes pairs" oneof:"auto none rows columns" doc:"auto, none, rows (each divided by its sum) or columns (mean 0, deviation 1); auto is rows for bag-of-words and none otherwise"`
	ScaleRows    int     `key:"scale_rows" for:"nodes pairs" range:"[0,∞)" doc:"how many of the first nodes the means and deviations of data.scale columns are of, and of links the edges that are held out, 0 for all; bloom add --save keeps those of the nodes that were trained with"`
	Weights      string  `key:"weights" for:"nodes" oneof:"use none" doc:"use: edges count by the weights that the data gives them; none: all the same"`
	EdgeFeatures string  `key:"edge_features" for:"nodes" oneof:"none use" doc:"use: edges are weighed by a trained function of their features, columns of numbers and categories in the table of edges, as far as that lowers the loss; none: they are not looked at"`
	Corrupt      string  `key:"corrupt" for:"nodes pairs" doc:"features to spoil before training, as rows=0.2,kind=replace,noise=gaussian,scale=1,norm=none; empty for none; norm=l1 divides spoilt rows by the sum of their absolute values"`
}

// Stack is how many times the energy is repeated in a model, each time with its own parameters, and what is between.
type Stack struct {
	Levels   int    `key:"levels" for:"nodes pairs" range:"[1,1024]" doc:"how many energies descend one after the other, each on what the one before it found; 1 for one energy"`
	Norm     string `key:"norm" for:"nodes pairs" oneof:"layer none batch" doc:"layer (of what a level is given), batch (of what its descent finds) or none"`
	Residual bool   `key:"residual" for:"nodes pairs" doc:"add what a level is given to what it gives"`
}

// Model holds the settings of what surrounds the lower level, and all settings of a baseline.
type Model struct {
	Hidden       int     `key:"hidden" range:"[1,65536]" doc:"d, the width of embeddings; not used where model.after is 0, the width then being the number of classes"`
	Before       int     `key:"before" for:"nodes pairs" range:"[0,64]" doc:"linear layers of π(x; W); 0 descends on the features themselves"`
	After        int     `key:"after" for:"nodes pairs" range:"[0,64]" doc:"linear layers of the head g(h; Θ); 0 makes embeddings the logits, and scores a pair by their product"`
	Input        string  `key:"input" for:"nodes" oneof:"layers trees" doc:"layers: π(x; W) is linear layers; trees: boosted trees, a round in every epoch, with model.after 0"`
	Neighbours   bool    `key:"neighbours" for:"nodes" doc:"trees also see the means of neighbours' columns, the number of neighbours, and the labels of neighbours in the training set"`
	Closed       bool    `key:"closed" for:"nodes" doc:"trees also see the answer of the closed form (recipe closed); training nodes the one that it gives without them and a tenth of the other labels"`
	Layers       int     `key:"layers" for:"nodes paths refactor" range:"[1,1024]" doc:"layers of a baseline or of path"`
	Heads        int     `key:"heads" for:"nodes" range:"[1,1024]" doc:"attention heads of a baseline"`
	Norm         string  `key:"norm" for:"nodes pairs" oneof:"none batch layer" doc:"none, batch or layer, between the layers of π and g"`
	Residual     bool    `key:"residual" for:"nodes pairs" doc:"skip connections in π, g and baselines"`
	Blocks       bool    `key:"blocks" for:"nodes" doc:"layers of mlp, gcn, sage and gat as residual blocks of norm, messages and a perceptron of two layers, those of Platonov et al. (2023)"`
	Separate     bool    `key:"separate" for:"nodes" doc:"gcn and gat give a node a matrix of its own beside that of its neighbours, as Luo et al. (2024)"`
	DropNodes    float64 `key:"drop_nodes" for:"nodes" range:"[0,1)" doc:"share of the nodes whose features are dropped, all of them; others are scaled up"`
	InputDropout float64 `key:"input_dropout" for:"nodes pairs" range:"[0,1)" doc:"share of the features that is dropped"`
	Dropout      float64 `key:"dropout" for:"nodes pairs embeddings bilevel" range:"[0,1)" doc:"share of the hidden units that is dropped; for knowledge graphs, of a question"`
	LearnLambda  bool    `key:"learn_lambda" for:"nodes pairs" doc:"train λ of every edge term, through softplus, from its value"`
	Adjoint      string  `key:"adjoint" for:"nodes pairs" oneof:"unrolled checkpointed implicit" doc:"unrolled, checkpointed or implicit"`
}

// Train is the upper level.
type Train struct {
	Epochs      int               `key:"epochs" range:"[0,∞)" doc:"full passes; 0 where there is nothing to train"`
	Optimizer   string            `key:"optimizer" oneof:"adam adamw sgd adagrad" doc:"adam (weight decay joins the gradient), adamw (it shrinks weights), sgd or adagrad"`
	Rate        float64           `key:"rate" range:"(0,∞)" doc:"learning rate"`
	WeightDecay float64           `key:"weight_decay" range:"[0,∞)" doc:"of weights; biases, norms, λ and γ have none"`
	Momentum    float64           `key:"momentum" range:"[0,1)" doc:"of sgd"`
	Schedule    string            `key:"schedule" oneof:"constant cosine linear step" doc:"constant, cosine, linear or step (a tenth after two thirds)"`
	Warmup      int               `key:"warmup" range:"[0,∞)" doc:"epochs over which the rate rises from 0"`
	Patience    int               `key:"patience" range:"[0,∞)" doc:"epochs without a better validation metric before it stops; 0 for never"`
	Clip        float64           `key:"clip" range:"[0,∞)" doc:"largest norm of the gradient; 0 for no limit"`
	Every       int               `key:"every" for:"nodes pairs embeddings bilevel paths" range:"[1,∞)" doc:"epochs between evaluations"`
	Loss        upper.Criterion   `key:"loss" for:"nodes" doc:"what training minimises"`
	Target      string            `key:"target" for:"nodes" oneof:"plain log" doc:"what is learnt of labels that are numbers: plain, the number, or log, its logarithm, for numbers above 0 whose errors grow with them"`
	Consistency upper.Consistency `key:"consistency" for:"nodes" doc:"several draws of dropout in an epoch, and a loss where their probabilities differ"`
	ClassWeight part.Numbers      `key:"class_weight" for:"nodes" oneof:"none balanced" range:"(0,∞)" doc:"how much a training node counts in the loss: none (all alike), balanced (all classes together alike) or a number by class, as {yes: 10}, 1 for the others"`
	Cost        string            `key:"cost" for:"nodes" doc:"what mistakes about the rarer of two classes cost, as miss=50,alarm=1: a node of it that is not found and another one that is taken for it; the threshold is the one that costs least on validation nodes. Empty: the threshold is the one with the best train.metric, or macro_f1"`
	Sample      Sample            `key:"sample" for:"nodes" doc:"training on parts of the graph"`
	Metric      metric.Choice     `key:"metric" for:"nodes pairs" doc:"what is reported and what chooses the epoch; auto is what the data set names, or the first of its task"`
	Seed        uint64            `key:"seed" range:"[0,∞)" doc:"of everything random; run i of a repeat has seed+i"`
	Repeat      int               `key:"repeat" range:"[1,∞)" doc:"runs"`
	Together    int               `key:"together" range:"[1,∞)" doc:"runs of a repeat at the same time, with the bits of one by one: on a card each on a lane, on the CPU with the threads divided among them, at most as many as there are threads"`
	LabelRate   float64           `key:"label_rate" for:"nodes" range:"(0,1]" doc:"share of the training labels that the lower level is given in an epoch where its energy is about labels, the others being predicted; 1 gives all"`
	Precision   string            `key:"precision" oneof:"float32 tf32 bf16" doc:"float32, tf32 or bf16: what products of matrices round their factors to, with sums in float32; bf16 is faster on cards and on CPUs with AMX or AVX512_BF16, where products with sparse matrices round too that have more than 128 columns and use every row 8 times on average; tf32 is for cards alone"`
	Checkpoint  time.Duration     `key:"checkpoint" doc:"time between checkpoints, more where writing one takes over 1 % of it; 0s for one at the end and one when stopped"`
}

// Sample says how parts are drawn and tied.
type Sample struct {
	Batch      int     `key:"batch" for:"nodes" range:"[0,∞)" doc:"training nodes of a part of the graph, which is one step of the optimiser unless train.sample.accumulate takes several; 0 trains on the whole graph"`
	Accumulate int     `key:"accumulate" for:"nodes" range:"[1,∞)" doc:"parts whose derivatives, averaged over their training nodes, make one step of the optimiser; where an epoch has no more it is one step, as on the whole graph"`
	Clusters   int     `key:"clusters" for:"nodes" range:"[0,∞)" doc:"number of clusters into which the graph is partitioned so that most edges stay inside; every epoch groups them at random into mini-batches of about train.sample.batch training nodes; 0 samples neighbours instead"`
	Fanout     int     `key:"fanout" for:"nodes" range:"[1,∞)" doc:"neighbours of a node that come into a part with it, drawn where it has more"`
	Hops       int     `key:"hops" for:"nodes" range:"[0,64]" doc:"how many times neighbours of neighbours come in"`
	Gamma      float64 `key:"gamma" for:"nodes" range:"[0,∞)" doc:"γ/2 ‖h_v − μ_v‖² joins the energy of every part, μ_v being the mean of what v is in all parts; 0 lets parts descend each for itself"`
	Forget     float64 `key:"forget" for:"nodes" range:"[0,1)" doc:"ρ: when a part has descended, μ ← ρ μ + (1 − ρ) h"`
}

// Asked reports whether somebody asked for parts.
func (s Sample) Asked() bool { return s.Batch > 0 || s.Clusters > 0 }

// defaults returns the values of keys that neither a recipe nor the user sets.
func defaults() *Config {
	return &Config{
		Task: "auto", Pairs: Pairs{Valid: 0.05, Test: 0.1, Batches: 8, Negatives: 1},
		Stack: Stack{Levels: 1, Norm: "layer", Residual: true},
		Data:  Data{Name: "minesweeper", Splits: "one", Scale: "auto", Weights: "use", EdgeFeatures: "none"},
		Model: Model{Hidden: 64, Before: 1, After: 1, Input: "layers", Layers: 2, Heads: 1, Norm: "none",
			Adjoint: "unrolled"},
		Facts: Facts{Protocol: "full", Distance: "squared", Loss: "self-adversarial", Hinge: 1, Against: "drawn",
			Batch: 1024, Negatives: 64, Draw: "uniform",
			Start: 0.1, Upper: "energy", Beside: 4, Redraw: 10, Message: "distmult", Aggregate: "sum",
			Relations: "conditioned", Removal: "triple",
			Temperature: 1, Step: 0.5, Decay: 0.1, Noise: 0.1, Reset: 4},
		Train: Train{Epochs: 500, Optimizer: "adam", Rate: 0.01, Schedule: "constant", Every: 1,
			Loss: upper.Auto, Target: "plain", Consistency: upper.Consistency{Samples: 1, Temperature: 0.5},
			Sample:      Sample{Accumulate: 1, Fanout: 10, Hops: 2, Forget: 0.9},
			ClassWeight: part.Numbers{Word: "none"}, Metric: "auto", Seed: 1, Repeat: 1, Together: 1,
			LabelRate: 1, Precision: "float32", Checkpoint: 30 * time.Second},
	}
}
