package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/task"
)

// Change is the answer about a node before and after edits; its JSON keys are stable.
type Change struct {
	ID     string  `json:"id"`
	Before *Answer `json:"before"` // nil for a node that the edits add
	After  *Answer `json:"after"`  // nil for a node that they remove
}

// Compare answers about the nodes of ids before and after the edits of a file, as what-if questions to a server do, or
// about all nodes whose answers differ, the most different first. run is a run about nodes. Nothing is kept.
func Compare(ctx context.Context, run task.Run, path string, ids []string, o Options) ([]Change, error) {
	nodes, ok := run.(aboutNodes)
	if !ok {
		return nil, task.Usage("what-if is for runs about classes, sets or numbers of nodes")
	}
	edits, lines, err := readEdits(path)
	if err != nil {
		return nil, err
	}
	m, err := modelOf(ctx, nodes, nodes.Nodes().Dir, o)
	if err != nil {
		return nil, err
	}
	if m.fixed() {
		return nil, m.refused()
	}
	changes, err := m.compare(ctx, edits, ids)
	var bad *BadEdit
	if errors.As(err, &bad) {
		text, _ := json.Marshal(edits[bad.Number])
		return nil, files.ErrorAt(path, lines[bad.Number], "edit %d, %s: %v", bad.Number, short(text), bad.Err)
	}
	if errors.As(err, new(noNode)) {
		return nil, task.Usage("%w", err)
	}
	return changes, err
}

// compare is Compare for edits; ids is nil for all nodes whose answers differ.
func (m *Model) compare(ctx context.Context, edits []Edit, ids []string) (list []Change, err error) {
	return list, m.onDraft(ctx, edits, func(ctx context.Context, g *graph) error {
		if err := g.settle(ctx); err != nil {
			return err
		}
		list = nil
		for _, id := range ids {
			list = append(list, Change{ID: id})
		}
		if ids == nil {
			for _, v := range g.state.Touched() {
				list = append(list, Change{ID: g.id(v)})
			}
		}
		for i := range list {
			if err := m.fill(ctx, g, &list[i]); err != nil {
				return err
			}
		}
		if ids != nil {
			return nil
		}
		list = slices.DeleteFunc(list, func(c Change) bool { return c.size() == 0 })
		slices.SortStableFunc(list, func(a, b Change) int { return cmp.Compare(b.size(), a.size()) })
		return nil
	})
}

// fill completes c by the answers of the graph and of its draft g.
func (m *Model) fill(ctx context.Context, g *graph, c *Change) error {
	for _, x := range []struct {
		on     *graph
		answer **Answer
	}{{m.graph, &c.Before}, {g, &c.After}} {
		switch list, err := m.answer(ctx, x.on, []string{c.ID}); {
		case err == nil:
			*x.answer = &list[0]
		case !errors.As(err, new(noNode)):
			return err
		}
	}
	if c.Before == nil && c.After == nil {
		return noNode(c.ID)
	}
	return nil
}

// size is how far the answers are apart: +Inf if only one exists, above 1 if classes differ, otherwise the largest
// difference of the probabilities or the difference of the numbers.
func (c Change) size() (far float64) {
	if c.Before == nil || c.After == nil {
		return math.Inf(1)
	}
	a, b := c.Before, c.After
	if a.Value != nil && b.Value != nil {
		return math.Abs(*a.Value - *b.Value)
	}
	for name, p := range a.Probabilities {
		far = max(far, math.Abs(p-b.Probabilities[name]))
	}
	if a.Class != b.Class {
		far++
	}
	return far
}

// whole matches a file that is one object with all edits, as a request has it.
var whole = regexp.MustCompile(`^\s*\{\s*"edits"\s*:\s*\[`)

// readEdits reads {"edits": […]}, or an object for every edit, and the lines where edits begin. The error is a
// *files.Error, with the line.
func readEdits(path string) (edits []Edit, lines []int, err error) {
	text, err := files.Read(path)
	if err != nil {
		return nil, nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	bad := func(format string, args ...any) ([]Edit, []int, error) {
		return nil, nil, files.ErrorAt(path, lineAfter(text, d.InputOffset()), format, args...)
	}
	object := whole.Match(text)
	if object {
		for range 3 { // { "edits" [
			must(second(d.Token()))
		}
	}
	for d.More() {
		var e Edit
		lines = append(lines, lineAfter(text, d.InputOffset()))
		if err := d.Decode(&e); err != nil {
			return nil, nil, files.ErrorAt(path, lines[len(edits)], "edit %d: %v", len(edits), err)
		}
		edits = append(edits, e)
	}
	if object {
		for range 2 { // ] }
			if _, err := d.Token(); err != nil {
				return bad("after edit %d: %v", len(edits)-1, err)
			}
		}
	}
	if _, err := d.Token(); err != io.EOF {
		return bad("after edit %d: want the end of the file", len(edits)-1)
	}
	if len(edits) == 0 {
		return nil, nil, files.Errorf(path, `no edits; want {"edits": [{"add_edge": ["u", "v"]}]}, or one edit a line`)
	}
	return edits, lines, nil
}

// lineAfter returns the line of the first letter from an offset on, from 1.
func lineAfter(text []byte, offset int64) int {
	rest := bytes.TrimLeft(text[offset:], ", \t\r\n")
	return 1 + bytes.Count(text[:len(text)-len(rest)], []byte{'\n'})
}

func second[T any](_ T, err error) error { return err }
