// Package config is everything a training run can be told, as one tree of keys. The same structs
// decode from a file, from BLOOM_* variables and from --set; every key is described once, here.
package config

import (
	"slices"
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
	Task   Task           `key:"task" doc:"what is predicted"`
	Data   Data           `key:"data" doc:"the data set"`
	Energy *recipe.Recipe `key:"energy" for:"nodes pairs embeddings bilevel" doc:"the lower level: f, kappa, eta, descent, steps; a baseline has none"`
	Stack  Stack          `key:"stack" for:"nodes pairs" doc:"several energies one after another"`
	Model  Model          `key:"model" for:"nodes pairs facts" doc:"π(x; W) before the descent and g(h; Θ) after it"`
	Facts  Facts          `key:"link" for:"facts" doc:"training on the facts of a knowledge graph"`
	Pairs  Pairs          `key:"pairs" for:"pairs" doc:"link prediction: training and evaluation"`
	Events Events         `key:"events" for:"events" doc:"links in time: training and evaluation"`
	Train  Train          `key:"train" doc:"the upper level"`
}

// Data holds the settings of the data to learn from.
type Data struct {
	Name         string        `key:"name" doc:"a catalogue name, a file or a folder"`
	Split        int           `key:"split" for:"nodes" range:"[0,∞)" doc:"index of the split of the first run; with splits: all, run i of a repeat uses split+i, modulo the number of splits"`
	Splits       string        `key:"splits" for:"nodes" oneof:"one all" doc:"one: all runs of a repeat use the same split; all: each uses the next"`
	Folds        int           `key:"folds" for:"nodes" range:"[0,100]" doc:"folds of cross-validation, which then measures the model and chooses epoch and thresholds, before all labelled nodes but data.holdout train the final model; of data divided by time they are windows, each answered for from what is earlier, and test nodes stay; 0 uses the split of the data"`
	Holdout      float64       `key:"holdout" for:"nodes" range:"[0,1)" doc:"share of the labelled nodes kept as a test set if data.folds is not 0"`
	Scale        string        `key:"scale" for:"nodes pairs" oneof:"auto none rows columns" doc:"auto, none, rows (each divided by its sum) or columns (mean 0, deviation 1); auto is rows for bag-of-words and none otherwise"`
	ScaleRows    int           `key:"scale_rows" for:"nodes pairs" range:"[0,∞)" doc:"number of leading nodes that scaling is fitted on and, for links, whose edges may be held out; 0 = all; bloom add --save sets it to the nodes of the training data"`
	Weights      string        `key:"weights" for:"nodes" oneof:"use none" doc:"use: the edge weights of the data; none: every edge weighs 1"`
	Decay        time.Duration `key:"decay" for:"nodes" doc:"edges weigh e^(−age/decay), such as 30d, summed over the rows of an edge, at the last time of all; 0s: they do not age"`
	EdgeFeatures string        `key:"edge_features" for:"nodes" oneof:"none use" doc:"use: edges are weighted by a trained function of their features (columns of the table of edges); none: these are ignored"`
	Corrupt      string        `key:"corrupt" for:"nodes pairs" doc:"corrupt features before training, as rows=0.2,kind=replace,noise=gaussian,scale=1,norm=none (norm=l1 divides corrupted rows by the sum of their absolute values); empty: do not"`
}

// Stack is how many times the energy is repeated in a model, each time with its own parameters, and what is between.
type Stack struct {
	Levels   int    `key:"levels" for:"nodes pairs" range:"[1,1024]" doc:"number of energies; each descends from the output of the one before it"`
	Norm     string `key:"norm" for:"nodes pairs" oneof:"layer none batch" doc:"layer (on the input of a level), batch (on its output) or none"`
	Residual bool   `key:"residual" for:"nodes pairs" doc:"skip connections: add the input of a level to its output"`
}

// Model holds the settings of what surrounds the lower level, and all settings of a baseline.
type Model struct {
	Hidden       int     `key:"hidden" for:"nodes pairs facts" range:"[1,65536]" doc:"d, the width of embeddings; with model.after 0 it is the number of classes instead"`
	Before       int     `key:"before" for:"nodes pairs" range:"[0,64]" doc:"linear layers of π(x; W); 0: the descent starts from the raw features"`
	After        int     `key:"after" for:"nodes pairs" range:"[0,64]" doc:"linear layers of the head g(h; Θ); 0: embeddings are the logits, and a pair scores their inner product"`
	Input        string  `key:"input" for:"nodes" oneof:"layers pieces trees" doc:"what π(x; W) is: layers (linear), pieces (layers on a piecewise-linear encoding of numbers), or trees (boosted, one round per epoch, with model.after 0)"`
	Neighbours   bool    `key:"neighbours" for:"nodes" doc:"trees also see the number of neighbours, the means of their columns and their training labels"`
	Closed       bool    `key:"closed" for:"nodes" doc:"trees also see the prediction of recipe closed, out of fold for training nodes"`
	Alike        bool    `key:"alike" for:"nodes" doc:"trees and the closed form also see how many rows share a value of a column of the table, their labels (out of fold for training nodes), and a node's numbers compared with theirs and with each other; of nodes with times, their own numbers alone"`
	Layers       int     `key:"layers" for:"nodes paths zero refactor" range:"[1,1024]" doc:"layers of a baseline, of path or of both models of zero"`
	Weights      string  `key:"weights" for:"zero" doc:"weights to answer with or to start training from: empty for those that come with bloom, a checkpoint of ULTRA (.pth), the model.safetensors of a run of zero, or none for new ones; they set width and layers"`
	Heads        int     `key:"heads" for:"nodes" range:"[1,1024]" doc:"attention heads of a baseline"`
	Norm         string  `key:"norm" for:"nodes pairs" oneof:"none batch layer" doc:"none, batch or layer, between the layers of π and g"`
	Residual     bool    `key:"residual" for:"nodes pairs" doc:"skip connections in π, g and baselines"`
	Blocks       bool    `key:"blocks" for:"nodes" doc:"mlp, gcn, sage and gat use the residual blocks of Platonov et al. (2023)"`
	Separate     bool    `key:"separate" for:"nodes" doc:"gcn and gat have separate matrices for a node and its neighbours, as in Luo et al. (2024)"`
	DropNodes    float64 `key:"drop_nodes" for:"nodes" range:"[0,1)" doc:"DropNode: share of the nodes whose features are all dropped in training"`
	InputDropout float64 `key:"input_dropout" for:"nodes pairs" range:"[0,1)" doc:"dropout rate of the features"`
	Dropout      float64 `key:"dropout" for:"nodes pairs embeddings bilevel" range:"[0,1)" doc:"dropout rate of hidden units; for knowledge graphs, of the query embedding"`
	LearnLambda  bool    `key:"learn_lambda" for:"nodes pairs" doc:"train λ of every edge term (through softplus), starting from its value"`
	Adjoint      string  `key:"adjoint" for:"nodes pairs" oneof:"unrolled checkpointed implicit" doc:"how gradients pass through the descent: unrolled, checkpointed (less memory) or implicit (at the fixed point)"`
}

// Train is the upper level.
type Train struct {
	Epochs      int               `key:"epochs" range:"[0,∞)" doc:"passes over the training data; 0 if nothing is trained"`
	Optimizer   string            `key:"optimizer" oneof:"adam adamw sgd adagrad" doc:"adam (with L2 weight decay), adamw (with decoupled weight decay), sgd or adagrad"`
	Rate        float64           `key:"rate" range:"(0,∞)" doc:"learning rate"`
	WeightDecay float64           `key:"weight_decay" range:"[0,∞)" doc:"weight decay; not applied to biases, norms, λ and γ"`
	Momentum    float64           `key:"momentum" range:"[0,1)" doc:"momentum of sgd"`
	Schedule    string            `key:"schedule" oneof:"constant cosine linear step" doc:"learning-rate schedule: constant, cosine, linear or step (divided by ten after two thirds)"`
	Warmup      int               `key:"warmup" range:"[0,∞)" doc:"epochs over which the learning rate rises linearly from 0"`
	Patience    int               `key:"patience" range:"[0,∞)" doc:"early stopping: epochs without a better validation metric; 0 = never"`
	Clip        float64           `key:"clip" range:"[0,∞)" doc:"gradients are clipped to this norm; 0 = no clipping"`
	Every       int               `key:"every" for:"nodes pairs embeddings bilevel paths zero" range:"[1,∞)" doc:"epochs between evaluations"`
	Loss        upper.Criterion   `key:"loss" for:"nodes" doc:"the training loss"`
	Target      string            `key:"target" for:"nodes" oneof:"plain log" doc:"regression target: plain (the number) or log (its logarithm, for numbers whose errors grow with them; where some are not above 0, of what they have above a little less than the least)"`
	Consistency upper.Consistency `key:"consistency" for:"nodes" doc:"consistency regularisation: several dropout samples per epoch whose probabilities should agree"`
	ClassWeight part.Numbers      `key:"class_weight" for:"nodes" oneof:"none balanced" range:"(0,∞)" doc:"weights of classes in the loss: none (1), balanced (equal total per class) or by class, as {yes: 10}, 1 for the others"`
	Cost        string            `key:"cost" for:"nodes" doc:"with two classes, the costs of a false negative and a false positive of the rarer one, as miss=50,alarm=1, by which the threshold is chosen on validation nodes; empty: by train.metric, or macro_f1"`
	Sample      Sample            `key:"sample" for:"nodes" doc:"mini-batches: training on subgraphs"`
	Metric      metric.Choice     `key:"metric" for:"nodes pairs" doc:"metric that is reported and that chooses the epoch; auto: the one of the data set, or the first of its task"`
	Seed        uint64            `key:"seed" range:"[0,∞)" doc:"random seed; run i of a repeat has seed+i"`
	Repeat      int               `key:"repeat" range:"[1,∞)" doc:"number of runs"`
	Together    int               `key:"together" range:"[1,∞)" doc:"runs of a repeat that are trained at the same time, with the same bits: on streams of a GPU, or with the threads of the CPU divided among them"`
	LabelRate   float64           `key:"label_rate" for:"nodes" range:"(0,1]" doc:"for energies with a label term: share of the training labels that the lower level sees in an epoch, to predict the others; 1 = all"`
	Precision   string            `key:"precision" oneof:"float32 tf32 bf16" doc:"precision of the factors of matrix products; sums are in float32. bf16 is faster on GPUs and on CPUs with AMX or AVX512_BF16; tf32 needs a GPU"`
	Checkpoint  time.Duration     `key:"checkpoint" doc:"time between checkpoints, longer if writing takes over 1 % of it; 0s: only at the end and when stopped"`
}

// Sample says how parts are drawn and tied.
type Sample struct {
	Batch      int     `key:"batch" for:"nodes" range:"[0,∞)" doc:"training nodes per mini-batch (a subgraph); 0 trains on the full graph"`
	Accumulate int     `key:"accumulate" for:"nodes" range:"[1,∞)" doc:"mini-batches whose gradients are averaged for one step of the optimiser; at most one epoch"`
	Clusters   int     `key:"clusters" for:"nodes" range:"[0,∞)" doc:"number of clusters to partition the graph into; random groups of clusters with about train.sample.batch training nodes are the mini-batches; 0 samples neighbours instead"`
	Fanout     int     `key:"fanout" for:"nodes" range:"[1,∞)" doc:"maximum number of neighbours sampled per node and hop"`
	Hops       int     `key:"hops" for:"nodes" range:"[0,64]" doc:"hops of neighbours that are sampled"`
	Gamma      float64 `key:"gamma" for:"nodes" range:"[0,∞)" doc:"γ of the term γ/2 ‖h_v − μ_v‖² that couples mini-batches, μ_v being the running mean of h_v; 0: they are independent"`
	Forget     float64 `key:"forget" for:"nodes" range:"[0,1)" doc:"ρ of the running mean: after each mini-batch, μ ← ρ μ + (1 − ρ) h"`
}

// Asked reports whether somebody asked for parts.
func (s Sample) Asked() bool { return s.Batch > 0 || s.Clusters > 0 }

// defaults returns the values of keys that neither a recipe nor the user sets.
func defaults() *Config {
	return &Config{
		Task: "auto", Pairs: Pairs{Valid: 0.05, Test: 0.1, Batches: 8, Negatives: 1},
		Events: Events{Valid: 0.15, Test: 0.15, Batch: 200, Negatives: 64},
		Stack:  Stack{Levels: 1, Norm: "layer", Residual: true},
		Data:   Data{Name: "minesweeper", Splits: "one", Scale: "auto", Weights: "use", EdgeFeatures: "none"},
		Model: Model{Hidden: 64, Before: 1, After: 1, Input: "layers", Layers: 2, Heads: 1, Norm: "none",
			Adjoint: "unrolled"},
		Facts: Facts{Protocol: "full", Filter: "auto", Distance: "squared", Loss: "self-adversarial", Against: "drawn",
			Batch: 1024, Negatives: 64,
			Start: 0.1, Upper: "energy", Beside: 4, Redraw: 10, Message: "distmult", Aggregate: "sum",
			Relations: "conditioned", Removal: "triple", Layers: "shared",
			Temperature: 1, Step: 0.5, Decay: 0.1, Noise: 0.1, Reset: 4},
		Train: Train{Epochs: 500, Optimizer: "adam", Rate: 0.01, Schedule: "constant", Every: 1,
			Loss: upper.Auto, Target: "plain", Consistency: upper.Consistency{Samples: 1, Temperature: 0.5},
			Sample:      Sample{Accumulate: 1, Fanout: 10, Hops: 2, Forget: 0.9},
			ClassWeight: part.Numbers{Word: "none"}, Metric: "auto", Seed: 1, Repeat: 1, Together: 1,
			LabelRate: 1, Precision: "float32", Checkpoint: 30 * time.Second},
	}
}

// Events holds the settings for links in time.
type Events struct {
	Valid     float64 `key:"valid" range:"[0,1)" doc:"share of the events for validation: the last ones before those for testing"`
	Test      float64 `key:"test" range:"[0,1)" doc:"share of the events for testing: the last ones"`
	Batch     int     `key:"batch" range:"[1,∞)" doc:"events per batch, predicted from all events before it"`
	Negatives int     `key:"negatives" range:"[1,∞)" doc:"negatives per training event: targets that the source has not met"`
}

// Pairs holds the settings for holding out, drawing and scoring links between nodes.
type Pairs struct {
	Valid     float64 `key:"valid" range:"[0,1)" doc:"share of the edges held out for validation; drawn by the seed"`
	Test      float64 `key:"test" range:"[0,1)" doc:"share of the edges held out for testing; drawn by the seed"`
	Batches   int     `key:"batches" range:"[2,∞)" doc:"mini-batches per epoch; the edges of one are predicted from messages along all others"`
	Negatives int     `key:"negatives" range:"[1,∞)" doc:"negatives (pairs that are not joined) per edge of a mini-batch"`
	Hard      float64 `key:"hard" range:"[0,1]" doc:"share of the negatives that have a common neighbour; the others are drawn uniformly"`
	Common    bool    `key:"common" doc:"also use the number of common neighbours of a pair"`
	Alike     bool    `key:"alike" doc:"also use their degrees and the similarity of their features and of their neighbours' features"`
}

// Task names what is learnt.
type Task string

// tasks are the words, auto first.
var tasks = []string{"auto", "links"}

// AddTask adds a task name, for programs that train something else; it must be called before a config is loaded.
func AddTask(word string) {
	if !slices.Contains(tasks, word) {
		tasks = append(tasks, word)
	}
}

// Words returns all tasks.
func (Task) Words() []string { return tasks }

// Doc says what ours are.
func (Task) Doc() string {
	return "auto (what the data set is about) or links (which nodes of any graph are joined)"
}
