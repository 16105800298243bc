// Package paper repeats the tables and figures of the paper, each as an experiment with a name:
//
//	noise heterophily full lambda momentum halo kgc kge new-entities lp energy-figure layernorm-figure norm-figure
//
// and what the paper does not measure in the same way: audit links coverage numbers beyond descents kge-plain
// noise-typed unseen
//
// An experiment is made of cells, a row on a data set, and every cell is a file, cells/ID/ROW-DATA.yaml: the settings
// as keys of package config, how many seeds, what the paper published, what is to be reached, what we got, when and
// with which commit, how much was searched, and where a number was not reached, what was tried. Nothing is ever chosen
// by the test nodes.
//
//	e, err := paper.Find("noise")
//	report, err := paper.Run(ctx, e, paper.Options{Dir: "paper-runs/noise"})
//	report.Write(os.Stdout)      // paper | ours | gap
//
// A seed that is done stays in the folder as a file, so that a run that was stopped goes on where it was.
package paper
