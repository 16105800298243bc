package format

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/internal/build"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/intern"
	"github.com/bloomgml/bloom/mat"
)

// dglType is a type of nodes with its table.
type dglType struct {
	name    string
	first   int32 // the number of its first node
	ids     intern.Table
	labels  []string      // names of classes; empty where there is none; nil without such a column
	masks   [3][]int32    // nodes of train, val and test
	columns []*dglFeature // in the order of the table
}

// dglFeature is a column of numbers, width of them a cell.
type dglFeature struct {
	name   string
	width  int
	values []mat.Real
	text   bool // a cell was not numbers; the column is no feature
}

// dglMasks are the columns that say which part of the split a node is in.
var dglMasks = []string{"train_mask", "val_mask", "test_mask"}

// readNodes reads the table of a type of nodes.
func (r *dglReader) readNodes(file, name string) error {
	if name == "" {
		name = dglNode
	}
	t, err := r.open(file, "node_id")
	if err != nil {
		return err
	}
	defer t.Close()
	if r.typeNamed(name) != nil {
		return fileerr.In(t.Path, "type %q has another table before this one", name)
	}
	kind := &dglType{name: name}
	for _, other := range r.types {
		kind.first += int32(other.ids.Len())
	}
	r.types = append(r.types, kind)
	take := kind.takers(t.Header)
	for {
		row, line, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i, cell := range row {
			if err := take[i](cell); err != nil {
				return &fileerr.Error{File: t.Path, Line: line, Column: t.Header[i], Offset: -1, Text: err.Error()}
			}
		}
	}
}

// takers are what to do with the cells of every column.
func (k *dglType) takers(header []string) []func(cell string) error {
	take := make([]func(string) error, len(header))
	for i, name := range header {
		switch mask := slices.Index(dglMasks, name); {
		case name == "node_id":
			take[i] = k.takeID
		case name == "graph_id":
			take[i] = oneGraph()
		case name == "label":
			k.labels = []string{}
			take[i] = k.takeLabel
		case mask >= 0:
			row := int32(-1)
			take[i] = func(cell string) error {
				row++
				return k.takeMask(cell, mask, row)
			}
		default:
			c := &dglFeature{name: name}
			k.columns = append(k.columns, c)
			take[i] = c.take
		}
	}
	return take
}

// oneGraph refuses a second graph.
func oneGraph() func(cell string) error {
	first, any := "", false
	return func(cell string) error {
		if !any {
			first, any = strings.Clone(cell), true
		}
		if cell != first {
			return fmt.Errorf("graph %q after graph %q: sets of several graphs are not for learning on one", cell, first)
		}
		return nil
	}
}

// takeID numbers a node.
func (k *dglType) takeID(cell string) error {
	if cell == "" {
		return errors.New("a node without an id")
	}
	if n := k.ids.Len(); int(k.ids.ID([]byte(cell))) < n {
		return fmt.Errorf("node %q is listed twice", cell)
	}
	return nil
}

// takeLabel remembers a class.
func (k *dglType) takeLabel(cell string) error {
	if strings.ContainsRune(cell, ',') {
		return fmt.Errorf("%.80q are several labels, want one", cell)
	}
	k.labels = append(k.labels, strings.Clone(build.ClassName(cell)))
	return nil
}

// takeMask puts the node of a row into a part of the split.
func (k *dglType) takeMask(cell string, mask int, row int32) error {
	in, err := strconv.ParseBool(build.ClassName(cell))
	if err != nil {
		return fmt.Errorf("%.80q is neither true nor false", cell)
	}
	if in {
		k.masks[mask] = append(k.masks[mask], k.first+row)
	}
	return nil
}

// take appends the numbers of a cell. The first cell says how many there are in each.
func (c *dglFeature) take(cell string) error {
	if c.text {
		return nil
	}
	n := 0
	for field := range strings.SplitSeq(cell, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(field), 32)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			c.text, c.values = true, nil
			return nil
		}
		c.values = append(c.values, mat.Real(x))
		n++
	}
	if c.width == 0 {
		c.width = n
	}
	if n != c.width {
		return fmt.Errorf("%d numbers, want %d as in the rows before", n, c.width)
	}
	return nil
}

// matrix puts the columns side by side; it is zero where there are none.
func (k *dglType) matrix() dataset.Matrix {
	x := dataset.Matrix{Rows: k.ids.Len()}
	for _, c := range k.columns {
		if !c.text {
			x.Cols += c.width
		}
	}
	if x.Cols == 0 {
		return dataset.Matrix{}
	}
	for i := range x.Rows {
		for _, c := range k.columns {
			if !c.text {
				x.Values = append(x.Values, c.values[i*c.width:(i+1)*c.width]...)
			}
		}
	}
	return x
}

// label sets the classes and the split of n nodes.
func (r *dglReader) label(n int) {
	names := map[int32]string{}
	labelled := false
	var masks [3][]int32
	for _, k := range r.types {
		labelled = labelled || k.labels != nil
		for i, name := range k.labels {
			if name != "" {
				names[k.first+int32(i)] = name
			}
		}
		for i := range masks {
			masks[i] = append(masks[i], k.masks[i]...)
		}
	}
	if !labelled {
		return
	}
	r.d.Metric = "accuracy"
	r.d.Labels = dataset.Labels{Class: slices.Repeat([]int32{-1}, n), Names: build.ClassNames(names)}
	number := map[string]int32{}
	for i, name := range r.d.Labels.Names {
		number[name] = int32(i)
	}
	for v, name := range names {
		r.d.Labels.Class[v] = number[name]
	}
	r.split(masks)
}

// split keeps the nodes of the masks that have a class.
func (r *dglReader) split(masks [3][]int32) {
	dropped, kept := 0, 0
	for i, nodes := range masks {
		masks[i] = slices.DeleteFunc(nodes, func(v int32) bool { return r.d.Labels.Class[v] < 0 })
		dropped += len(nodes) - len(masks[i])
		kept += len(masks[i])
	}
	if dropped > 0 {
		build.Note(r.d, "%d nodes of the split have no class and were left out of it.", dropped)
	}
	if kept > 0 {
		r.d.Splits = []dataset.Split{{Train: masks[0], Valid: masks[1], Test: masks[2]}}
	} else {
		build.Note(r.d, "There is no split: no node is in train_mask, val_mask or test_mask.")
	}
}
