// Package show is how the program shows things to people.
//
// On a terminal: a writer that shows what would steer the terminal instead of sending it, colours, tables in two
// columns, bars and lines of letters, a line of progress, and numbers in words. On pages and in files: lines and
// histograms as SVG.
//
//	c := show.LineChart("Training loss", show.Axes{Below: "epoch", Count: true},
//		show.Curve{Ink: show.Series(0), X: epochs, Y: losses})
//
// Colours of charts are classes of Style, which says what they look like on light and on dark pages. A chart of a page
// is small, so that its letters are as large on a phone as next to a paragraph, and the page writes its title and
// legend; ChartFile is a chart that stands alone.
package show
