// Package train is the upper level: it builds the network that a config.Config describes, trains it on a dataset.Dataset, and keeps a
// run folder from which everything can be repeated, continued and inspected.
//
//	result, err := train.Run(ctx, cfg, data, train.Options{Dir: "runs/cora"})
//	fmt.Println(result.Test.Mean, result.Test.SD)
//	trained, err := train.Open("runs/cora")        // the network of the best epoch, with its data
//
// Training is full batch. Two programs are compiled once and replayed: loss with gradients, and logits in evaluation mode. An epoch
// allocates nothing, and the same seed gives the same weights for any number of threads.
//
// The epoch that is kept is the one with the best validation metric, the later one of two that tie; the test metric is that of this
// epoch and chooses nothing.
//
// # Run folder
//
//	config.yaml          what was asked for, complete
//	metrics.jsonl        one JSON object for every epoch that was evaluated
//	events.out.tfevents  the same for TensorBoard
//	model.safetensors    the weights of the best epoch; a function of config and data alone
//	predictions.csv      class, probability and evidence for every node, by the user's ids
//	result.json          the Result
//	README.md            the model card
//	checkpoint/          last.safetensors: all that is needed to continue, with the weights of the best epoch so far
//
// A repeat of N > 1 runs has folders run-00, run-01, … each of which looks like that; model.safetensors and predictions.csv at the top
// are those of the run with the best validation metric, the first of those that tie.
package train
