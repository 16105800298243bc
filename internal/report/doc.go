// Package report turns run folders into pages: one HTML file that needs nothing else, no script and no network, for a
// run or for a comparison of runs.
//
//	err := report.Write("runs/cora")                            // runs/cora/report.html
//
//	run, err := report.Open("runs/cora")
//	err = run.Page(w, report.Options{Node: "1033"})             // with a drawing of the graph around that node
//	err = report.Compare(w, run, other)
//
// A page is a function of the run folder and its data. Colours come from the style sheet, in a light and a dark
// version; charts are drawn small and put side by side where there is room, so that their letters can be read on a
// phone.
package report
