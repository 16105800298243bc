package task

import "github.com/bloomgml/bloom/train"

// Paged is a Kind that adds to the page of a run, which always has the result, the training curves and the config.
type Paged interface {
	// Page returns what the page of the run in dir shows; r is its result. It reads the folder, but no data.
	Page(dir string, r *train.Result) (*Page, error)
}

// Page is the content of a page. The zero value adds nothing.
type Page struct {
	Lead     string    // the run in a sentence or two
	Metric   string    // that epochs are chosen by; empty means the result's metric
	Of       string    // what metrics are of, as facts
	Percent  bool      // whether the metric of the result is a share, which is written in percent
	Values   []Value   // headline numbers, after test and validation
	Row      []Value   // columns of a comparison with other runs, after test and validation
	RowAbout string    // what to know about them
	Sections []Section // between the curves of training and the data
	Data     []Value   // what the data is
	Commands []string  // to look at the run
}

// Value is a name with a value, and perhaps with more about it in small letters.
type Value struct{ Name, Value, More string }

// Section is a part of a page: figures and tables.
type Section struct {
	Title, About string
	Histograms   []Histogram
	Tables       []Table
}

// Histogram counts values in equal bins from Low to High; Mark writes a number below it, nil as usual.
type Histogram struct {
	Title, Below, About string
	Low, High           float64
	Bins                int
	Mark                func(float64) string
	Groups              []Group
}

// Group is some of the values of a histogram.
type Group struct {
	Name   string
	Values []float64
}

// Table is rows under a head. The first columns, Words of them, are text and the others numbers; the column named Bar
// is from 0 to 1 and also drawn.
type Table struct {
	Title, About string
	Head         []string
	Words        int
	Bar          string
	Rows         [][]string
}
