package task

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// Request is a question to a Run, and where the answer goes. A Kind reads the fields that it knows.
type Request struct {
	Context  context.Context
	Out, Say io.Writer // for the answer in words, and for what is said about it
	JSON     bool
	CSV      bool // rows of a table
	Array    bool // rows of numbers as a NumPy array
	Top      int  // answers to show; 0 for all
	// Given reports whether a flag was given, and Write calls a function with the place for rows.
	Given func(flag string) bool
	Write func(func(io.Writer) error) error
	Page  func(dir string) error // makes the page of the run again

	Nodes     []string // ids
	Label     string   // the class to explain
	Level     int      // of a stack, the one to explain; 0 for the last
	Fidelity  int      // nodes to test explanations on
	Influence bool     // explain by the training labels
	Coverage  float64  // the probability with which sets hold the truth; 0 for no sets

	Changes Changes // to prove answers against

	Fact   Fact // or a question, if one of its ends is empty
	Fresh  bool // leave out answers that are facts already
	Sample int  // facts to judge; 0 for all
	Steps  int  // of the descent of new entities

	At string // the time to answer as of; empty for the end of the data

	Save string // a folder for the model with what is new
	// Newcomers and Triples read new nodes and new facts; tell says what could not be used.
	Newcomers func(*dataset.Dataset) (n *dataset.Newcomers, tell func(), err error)
	Triples   func(*dataset.Dataset) (facts []dataset.Fact, tell func(), err error)
}

// Changes are the changes of edges that an answer is to hold under.
type Changes struct {
	Each      int    // edges that may change at every node
	Total     int    // and in all; 0 for any number
	Edges     string // which: existing, two-hop or all
	Features  bool   // also how far rows of features may move, for all nodes
	Minimiser bool   // the answer is the minimiser of the energy, not what the steps of the run find
}

// Fact names a fact by its ends and its relation.
type Fact struct{ Head, Relation, Tail string }

// UsageError is a mistake in what was asked rather than in the data.
type UsageError struct{ Err error }

// Error returns the text of Err.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *UsageError) Unwrap() error { return e.Err }

// Usage returns a UsageError, formatted as by fmt.Errorf.
func Usage(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Shown returns how many of n things to show: Top, or all if a program asks without giving a number.
func (q *Request) Shown(n int) int {
	if q.Top > 0 && (!q.JSON && !q.CSV || q.Given("top")) {
		return min(q.Top, n)
	}
	return n
}

// WriteAnswer writes an answer: as JSON, or as text.
func (q *Request) WriteAnswer(object any, text func() string) error {
	if q.JSON {
		return json.NewEncoder(q.Out).Encode(object)
	}
	_, err := io.WriteString(q.Out, text())
	return err
}

// Rows writes a list as CSV with a row for each, or as an object each.
func Rows[T any](q *Request, header []string, list iter.Seq[T], row func(T) []string) error {
	return q.Write(func(w io.Writer) error {
		if q.JSON {
			out := json.NewEncoder(w)
			for x := range list {
				if err := out.Encode(x); err != nil {
					return err
				}
			}
			return nil
		}
		return WriteTable(w, header, list, row)
	})
}

// WriteTable writes a table as CSV: a header, and a row for every entry of list.
func WriteTable[T any](w io.Writer, header []string, list iter.Seq[T], row func(T) []string) error {
	out := csv.NewWriter(w)
	if err := out.Write(header); err != nil {
		return err
	}
	for x := range list {
		if err := out.Write(row(x)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// ReadTable calls f for the rows of a table with the given header. Errors name the file and are a *files.Error.
func ReadTable(name string, r io.Reader, header []string, f func(line int, row []string) error) error {
	in := csv.NewReader(r)
	found, err := in.Read()
	if err != nil {
		return files.Because(name, err)
	}
	if !slices.Equal(found, header) {
		return files.ErrorAt(name, 1, "columns %q, want %q", found, header)
	}
	for {
		row, err := in.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return files.Because(name, err)
		}
		line, _ := in.FieldPos(0)
		if err := f(line, row); err != nil {
			return err
		}
	}
}

// embedded is a row of H; the JSON keys are stable.
type embedded struct {
	H  []mat.Real `json:"h"`
	ID string     `json:"id"`
}

// Embeddings writes the rows of h, n×d, with their names: id,h0,h1,….
func (q *Request) Embeddings(h *mat.Dense, name func(int32) string) error {
	all, d := h.Slice(), h.Cols()
	if q.Array {
		return q.Write(func(w io.Writer) error { return codec.WriteNPY(w, []int{h.Rows(), d}, all) })
	}
	header := []string{"id"}
	for j := range d {
		header = append(header, fmt.Sprintf("h%d", j))
	}
	rows := func(yield func(embedded) bool) {
		for v := range h.Rows() {
			if !yield(embedded{all[v*d : (v+1)*d], name(int32(v))}) {
				return
			}
		}
	}
	return Rows(q, header, rows, func(x embedded) []string {
		line := []string{x.ID}
		for _, v := range x.H {
			line = append(line, strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
		return line
	})
}

// Decimal returns a number in a table.
func Decimal(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
