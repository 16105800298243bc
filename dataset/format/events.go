package format

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
)

// Events reads a graph in time: text with an event a line, source target time, between spaces, tabs or commas. Times
// are numbers of any unit, or dates as 2024-06-01 or 2024-06-01T12:30:00. Lines that begin with # or % are comments,
// the first line may be a header, and columns after the third are ignored. Ids are kept as they are. Edges of the graph
// are the pairs that meet, once each.
//
// It is no Reader: the same text can be a weighted graph, or facts of a knowledge graph. Whoever asks for links in time
// decides.
func Events(path string) (*dataset.Dataset, error) {
	r := &eventReader{Builder: build.New(path, nameOf(path))}
	if err := files.Scan(path, r.Budget, r.line); err != nil {
		return nil, fmt.Errorf("reading a file of events: %w", err)
	}
	if len(r.events) == 0 {
		return nil, files.Errorf(path, "no events, want lines of source, target and time")
	}
	if err := r.oneUnit(); err != nil {
		return nil, err
	}
	if r.more > 0 {
		r.Note("%d columns after the third are ignored.", r.more)
	}
	r.sort()
	return r.Dataset, r.connect()
}

// IsEvents reports whether the first lines of a file are events: three columns, of which the third is a date, or a
// number that never falls and is not always the same, or one as large as seconds since 1973.
func IsEvents(path string) bool {
	t, err := files.OpenText(path, nil)
	if err != nil {
		return false
	}
	defer t.Close()
	head, end := t.Peek(t.Size())
	r := &eventReader{Builder: build.New(path, "")}
	lines := bytes.Split(head, []byte{'\n'})
	if end == nil { // the last one may not be whole
		lines = lines[:len(lines)-1]
	}
	for i, text := range lines {
		if r.line(i+1, bytes.TrimSuffix(text, []byte{'\r'})) != nil {
			return false
		}
	}
	if len(r.events) == 0 {
		return false
	}
	first, last := slices.MinFunc(r.events, byTime), slices.MaxFunc(r.events, byTime)
	return r.dates || first.at >= epochs || slices.IsSortedFunc(r.events, byTime) && first.at < last.at
}

// epochs is the smallest number that looks like a time since 1970.
const epochs = 1e8

// eventReader collects the events of a file.
type eventReader struct {
	*build.Builder
	names  build.Names
	events []timed
	begun  bool   // a line that is no comment has been read
	by     string // what separates columns; empty for spaces
	dates  bool
	more   int // columns after the third
}

type timed struct {
	u, v int32
	line int32
	at   float64
}

func byTime(a, b timed) int { return cmp.Compare(a.at, b.at) }

func (r *eventReader) line(number int, text []byte) error {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] == '#' || text[0] == '%' {
		return nil
	}
	head := !r.begun
	if head {
		r.begun = true
		for _, by := range []string{"\t", ","} {
			if bytes.Contains(text, []byte(by)) {
				r.by = by
				break
			}
		}
	}
	bad := func(format string, args ...any) error { return files.ErrorAt(r.File, number, format, args...) }
	columns := r.columns(text)
	if len(columns) < 3 || len(columns[0]) == 0 || len(columns[1]) == 0 {
		return bad("want source, target and time: %s", files.Excerpt(text))
	}
	at, date, err := readMoment(columns[2])
	if err != nil && head {
		return nil // a header
	}
	if err != nil {
		return bad("%v", err)
	}
	if len(r.events) > 0 && date != r.dates {
		return bad("time %s, but others are %s", files.Excerpt(columns[2]), map[bool]string{true: "dates",
			false: "numbers"}[r.dates])
	}
	r.dates, r.more = date, max(r.more, len(columns)-3)
	e := timed{at: at, line: int32(min(number, math.MaxInt32))}
	if e.u, err = r.ID(&r.names, columns[0]); err != nil {
		return err
	}
	if e.v, err = r.ID(&r.names, columns[1]); err != nil {
		return err
	}
	r.events, err = files.Append(r.Budget, r.events, "events", e)
	return err
}

// columns splits a line. Between spaces, a date and a time of day are one column.
func (r *eventReader) columns(text []byte) [][]byte {
	if r.by == "" {
		list := bytes.Fields(text)
		if len(list) > 3 && bytes.IndexByte(list[2], '-') > 0 && bytes.IndexByte(list[3], ':') > 0 {
			list[2] = bytes.Join(list[2:4], []byte{' '})
			list = slices.Delete(list, 3, 4)
		}
		return list
	}
	list := bytes.Split(text, []byte(r.by))
	for i := range list {
		list[i] = bytes.Trim(list[i], " \"")
	}
	return list
}

// moments are the ways to write a date.
var moments = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05",
	"2006-01-02 15:04", "2006-01-02"}

// ParseTime reads a time as Events does: a number, or a date as seconds since 1970.
func ParseTime(text string) (float64, error) {
	at, _, err := readMoment([]byte(text))
	return at, err
}

func readMoment(text []byte) (at float64, date bool, err error) {
	if at, err = strconv.ParseFloat(string(text), 64); err == nil && !math.IsNaN(at) && !math.IsInf(at, 0) {
		return at, false, nil
	}
	for _, layout := range moments {
		if t, err := time.Parse(layout, string(text)); err == nil {
			return float64(t.Unix()) + float64(t.Nanosecond())/1e9, true, nil
		}
	}
	return 0, false, fmt.Errorf("time %s, want a number or a date as 2024-06-01T12:30:00", files.Excerpt(text))
}

// oneUnit refuses seconds next to milliseconds since 1970.
func (r *eventReader) oneUnit() error {
	unit := func(e timed) int { return int(math.Log10(e.at/epochs) / 3) }
	first, last := slices.MinFunc(r.events, byTime), slices.MaxFunc(r.events, byTime)
	if r.dates || first.at < epochs || unit(first) == unit(last) {
		return nil
	}
	units := []string{"seconds", "milliseconds", "microseconds", "nanoseconds"}
	name := func(e timed) string { return units[min(unit(e), len(units)-1)] }
	return files.ErrorAt(r.File, int(last.line), "time %.0f looks like %s since 1970, and %.0f in line %d like %s: "+
		"times must have one unit", last.at, name(last), first.at, first.line, name(first))
}

// sort brings the events into the order of time; equal times stay as they stand.
func (r *eventReader) sort() {
	before := 0
	for i, e := range r.events[1:] {
		if e.at < r.events[i].at {
			before++
		}
	}
	if before > 0 {
		r.Note("Times go back in %d places: events were sorted by time.", before)
		slices.SortStableFunc(r.events, byTime)
	}
}

// connect makes the data set.
func (r *eventReader) connect() error {
	e := &dataset.Events{Dates: r.dates}
	var triples []graph.Triple
	for _, x := range r.events {
		e.Source, e.Target, e.Time = append(e.Source, x.u), append(e.Target, x.v), append(e.Time, x.at)
		triples = append(triples, graph.Triple{U: x.u, V: x.v})
	}
	notes := r.Notes
	r.Metric, r.IDs, r.Dataset.Events = "mrr", build.IDs(&r.names), e
	err := r.Connect(graph.Spec{Nodes: r.names.Len(), Relations: 1, Triples: triples, DropDuplicates: true})
	r.Notes = notes // that pairs repeat is what events are about
	return err
}
