// Package baseline holds what the paper compares with: graph neural networks that are not descents, on the
// same expressions, the same graph and the same features.
//
//	gcn, err := baseline.New("gcn", baseline.Options{In: 1433, Hidden: 16, Out: 7, Dropout: 0.5}, g)
//	logits := gcn.Forward(input.Training(clock), input.Sparse(words, nil))
//
// A baseline is an input.Model whose rows are the predictions: upper.Identity is its head. Every model has a
// file of its own with its formula; Options says which fields a model reads, and what their zeros mean.
//
// Weights per edge are numbers, one for an entry of the adjacency matrix and a head: no model here makes a row
// of hidden units for every edge.
package baseline
