package format

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
)

// dglType is a type of nodes with its table.
type dglType struct {
	name    string
	first   int32 // the number of its first node
	ids     build.Names
	labels  []string   // names of classes; empty for no class; nil without such a column
	masks   [3][]int32 // nodes of train, val and test
	columns []*column  // in the order of the table
	builder *build.Builder
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
		return files.Errorf(t.Path, "type %q is in an earlier table already", name)
	}
	kind := &dglType{name: name, builder: r.Builder}
	for _, other := range r.types {
		kind.first += int32(other.ids.Len())
	}
	r.types = append(r.types, kind)
	take := kind.takers(t.Header)
	return t.Each(func(row []string, line int) error {
		for i, cell := range row {
			if err := take[i](cell); err != nil {
				e := files.ErrorAt(t.Path, line, "%v", err)
				e.Column = t.Header[i]
				return files.OrAt(err, e)
			}
		}
		return nil
	})
}

// takers returns, for every column, the function that reads its cells.
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
			c := &column{name: name, budget: k.builder.Budget}
			k.columns = append(k.columns, c)
			take[i] = c.add
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
			return fmt.Errorf("graph %q after graph %q: bloom learns from one graph",
				cell, first)
		}
		return nil
	}
}

// takeID numbers a node.
func (k *dglType) takeID(cell string) error {
	if cell == "" {
		return errors.New("a node without an id")
	}
	n := k.ids.Len()
	id, err := k.builder.ID(&k.ids, []byte(cell))
	if err == nil && int(id) < n {
		return fmt.Errorf("node %q is listed twice", cell)
	}
	return err
}

// takeLabel remembers a class.
func (k *dglType) takeLabel(cell string) error {
	if strings.ContainsRune(cell, ',') {
		return fmt.Errorf("%.80q are several labels, want one", cell)
	}
	if err := k.builder.Budget.Take(int64(rowBytes+len(cell)), "labels"); err != nil {
		return err
	}
	k.labels = append(k.labels, strings.Clone(cell))
	return nil
}

// takeMask puts the node of a row into a part of the split.
func (k *dglType) takeMask(cell string, mask int, row int32) error {
	in, err := strconv.ParseBool(build.ClassName(cell))
	if err != nil {
		return fmt.Errorf("%.80q is neither true nor false", cell)
	}
	if in {
		k.masks[mask], err = files.Append(k.builder.Budget, k.masks[mask], "masks", k.first+row)
	}
	return err
}

// label sets the classes and the split of n nodes.
func (r *dglReader) label(n int) {
	classes, labelled := make([]string, n), false
	var masks [3][]int32
	for _, k := range r.types {
		labelled = labelled || k.labels != nil
		copy(classes[k.first:], k.labels)
		for i := range masks {
			masks[i] = append(masks[i], k.masks[i]...)
		}
	}
	if !labelled {
		return
	}
	r.ClassTexts(classes)
	if dropped := r.Split(masks[0], masks[1], masks[2]); dropped > 0 {
		r.Note("%d nodes of the split have no class and were left out of it.", dropped)
	}
	if s := r.Splits[0]; len(s.Train)+len(s.Valid)+len(s.Test) == 0 {
		r.Splits = nil
		r.Note("There is no split: no node is in train_mask, val_mask or test_mask.")
	}
}
