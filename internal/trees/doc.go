// Package trees boosts regression trees on binned columns: the learner of choice for tables, with numbers on all
// scales and gaps. The caller has the loss: a round takes its derivatives with respect to the scores of all rows and
// fits a tree to them for each output, so the scores may be answers, or the input π(X) of a graph energy.
//
//	t := trees.NewTable(rows, columns, row)                   // row(to, i) fills in row i, NaN for a gap
//	b := trees.NewBooster(t, outputs, trees.Options{})
//	for round := range rounds {
//		b.Round(round, g, h)                                  // rows×outputs: derivatives by b.Scores()
//	}
//
// The bits are the same for any number of threads.
package trees
