// Package train is the upper level for every model: one loop with its optimiser, repeats, early stopping, checkpoints
// and resume, the run folder, the result, the model card and estimates. What is trained is a Job; packages node, pair
// and fact have the jobs of configs, and any bloom.Model becomes one by node.Options.Model.
//
//	result, err := train.Run(ctx, c, trials, build, train.Options{Dir: "runs/cora"})
//	fmt.Println(result.Test.Mean, result.Test.SD)
//
// The epoch that is kept is the one with the best validation metric, the later one of two that tie; the test metric
// chooses nothing. The same seed gives the same weights for any number of threads, and for any number of interruptions.
//
// # Run folder
//
//	config.yaml          what was asked for, complete
//	data.json            what it was trained on: where that is, and what tells it from any other data
//	metrics.jsonl        one JSON object for every epoch, with metrics where it was evaluated
//	events.out.tfevents  the same for TensorBoard
//	model.safetensors    the weights of the best epoch; a function of config and data alone
//	predictions.csv      what the model says, by the user's ids
//	result.json          the Result
//	README.md            the model card
//	SHA256SUMS           checksums of all files, which are compared when one is read; before the end, of the config
//	checkpoint/          last.safetensors: all that is needed to continue, with the weights of the best epoch so far;
//	                     previous.safetensors: the one before, in case that is spoilt
//
// A repeat of N > 1 runs has folders run-00, run-01, … each of which looks like that; model.safetensors and
// predictions.csv at the top are copies from the run with the best validation metric, the first among ties.
//
// A folder has one writer: Run and Save lock it while they write. A lock ends with its process.
package train
