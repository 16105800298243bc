// Package config is everything a training run can be told, as one tree of keys. The same structs
// decode from a file, from BLOOM_* variables and from --set; every key is described once, here.
package config

import "github.com/bloomgml/bloom/recipe"

// Config is a training run: what, on which data, how. The tag key is the name in files and in
// --set, doc the description that help, files, the schema and the documentation show.
type Config struct {
	Recipe string         `key:"recipe" doc:"name of a recipe or a baseline; the keys below start from its settings for the data set"`
	Data   Data           `key:"data" doc:"what is learnt from"`
	Energy *recipe.Recipe `key:"energy" doc:"the lower level: f, kappa, eta, descent, steps; a baseline has none"`
	Model  Model          `key:"model" doc:"π(x; W) before the descent and g(h; Θ) after it"`
	Train  Train          `key:"train" doc:"the upper level"`
}

// Data is what is learnt from.
type Data struct {
	Name    string `key:"name" doc:"a catalogue name, a file or a folder"`
	Split   int    `key:"split" doc:"which of the given splits the first run uses; with repeat, run i uses split+i modulo their number where splits is all"`
	Splits  string `key:"splits" doc:"one: every run of a repeat uses the same split; all: run i uses the i-th"`
	Scale   string `key:"scale" doc:"auto, none, rows (each divided by its sum) or columns (mean 0, deviation 1); auto is rows for bag-of-words and none otherwise"`
	Corrupt string `key:"corrupt" doc:"features to spoil before training, as rows=0.2,kind=replace,noise=gaussian,scale=1; empty for none"`
}

// Model is what surrounds the lower level, and the whole of a baseline.
type Model struct {
	Hidden       int     `key:"hidden" doc:"d, the width of embeddings; not used where after is 0, the width then being the number of classes"`
	Before       int     `key:"before" doc:"linear layers of π(x; W); 0 descends on the features themselves"`
	After        int     `key:"after" doc:"linear layers of the head g(h; Θ); 0 makes embeddings the logits"`
	Layers       int     `key:"layers" doc:"layers of a baseline"`
	Heads        int     `key:"heads" doc:"attention heads of a baseline"`
	Norm         string  `key:"norm" doc:"none, batch or layer, between the layers of π and g"`
	Residual     bool    `key:"residual" doc:"skip connections in π, g and baselines"`
	InputDropout float64 `key:"input_dropout" doc:"share of the features that is dropped"`
	Dropout      float64 `key:"dropout" doc:"share of the hidden units that is dropped"`
	LearnLambda  bool    `key:"learn_lambda" doc:"train λ of every edge term, through softplus, from its value"`
	Adjoint      string  `key:"adjoint" doc:"unrolled, checkpointed or implicit"`
}

// Train is the upper level.
type Train struct {
	Epochs      int     `key:"epochs" doc:"full passes"`
	Optimizer   string  `key:"optimizer" doc:"adam (weight decay joins the gradient), adamw (it shrinks weights) or sgd"`
	Rate        float64 `key:"rate" doc:"learning rate"`
	WeightDecay float64 `key:"weight_decay" doc:"of weights; biases, norms, λ and γ have none"`
	Momentum    float64 `key:"momentum" doc:"of sgd"`
	Schedule    string  `key:"schedule" doc:"constant, cosine, linear or step (a tenth after two thirds)"`
	Warmup      int     `key:"warmup" doc:"epochs over which the rate rises from 0"`
	Patience    int     `key:"patience" doc:"epochs without a better validation metric before it stops; 0 for never"`
	Clip        float64 `key:"clip" doc:"largest norm of the gradient; 0 for no limit"`
	Every       int     `key:"every" doc:"epochs between evaluations"`
	Metric      string  `key:"metric" doc:"auto, accuracy or roc_auc: what is reported and what chooses the epoch"`
	Seed        uint64  `key:"seed" doc:"of everything random; run i of a repeat has seed+i"`
	Repeat      int     `key:"repeat" doc:"runs"`
	Checkpoint  int     `key:"checkpoint" doc:"epochs between checkpoints; 0 for one at the end and one when stopped"`
}
