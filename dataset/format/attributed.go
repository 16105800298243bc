package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// attributed is a graph being read whose nodes and links have attributes by name, as in node-link JSON, GraphML and
// Pajek files. Nodes have an id, links a source and a target.
//
// Of the attributes of nodes, label, class or y is the class; split (train, val or valid, test), or train_mask,
// val_mask and test_mask, is the split; numbers, or lists of numbers of one length, are features, in the order of their
// names, if every node has them. Links may have a weight. A graph that is not a multigraph has every edge once.
type attributed struct {
	*build.Builder
	ids                  build.Names
	directed, multigraph bool
	nodes, links         []map[string]any
}

// readAttributed makes a data set of what decode finds in a file.
func readAttributed(path string, decode func(*attributed) error) (*dataset.Dataset, error) {
	r := &attributed{Builder: build.New(path, nameOf(path))}
	if err := decode(r); err != nil {
		return nil, err
	}
	for _, step := range []func() error{r.number, r.connect, r.divide, r.features} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.Dataset, nil
}

// textHead returns the first bytes of a text file with the given ending, packed or not, and whether it is one. They are
// nil if it cannot be read: reading reports what is wrong with it.
func textHead(path string, dir bool, ending string) (head []byte, ok bool) {
	if dir || !strings.EqualFold(filepath.Ext(strings.TrimSuffix(path, ".gz")), ending) {
		return nil, false
	}
	t, err := files.OpenText(path, nil)
	if err != nil {
		return nil, true
	}
	defer t.Close()
	head, _ = t.Peek(t.Size())
	return append([]byte{}, bytes.TrimSpace(head)...), true
}

// metered reads t and takes the memory of its decoded form, which bytes estimates, from the budget.
func metered(t files.Text, b *files.Budget, bytes func(p []byte) int) io.Reader {
	return files.Watched{R: t, Each: func(p []byte) error {
		return b.Take(int64(bytes(p)), "nodes, links and their attributes")
	}}
}

// number gives nodes their numbers.
func (r *attributed) number() error {
	for v, node := range r.nodes {
		id, ok := idOf(node["id"])
		number, err := r.ID(&r.ids, []byte(id))
		if err != nil {
			return err
		}
		if !ok || int(number) < v {
			return files.Errorf(r.File, "node %d has the id %.80q, which is a duplicate, or neither text nor a number",
				v, cellOf(node["id"]))
		}
	}
	r.IDs = build.IDs(&r.ids)
	return nil
}

func (r *attributed) connect() error {
	spec := graph.Spec{Nodes: r.ids.Len(), Undirected: !r.directed, Weights: make([]mat.Real, len(r.links))}
	if !r.multigraph {
		spec.DropDuplicates = true
	}
	weighted := false
	for i, link := range r.links {
		u, err := r.find(link["source"])
		v, errV := r.find(link["target"])
		spec.Weights[i] = 1
		if w, ok := link["weight"]; ok && err == nil {
			weighted = true
			spec.Weights[i], err = parseWeight(cellOf(w))
		}
		if err = cmp.Or(err, errV); err != nil {
			return files.Errorf(r.File, "link %d: %v", i, err)
		}
		spec.Triples = append(spec.Triples, graph.Triple{U: u, V: v})
	}
	if !weighted {
		spec.Weights = nil
	}
	if err := r.Connect(spec); err != nil {
		return err
	}
	if n := r.Repeats(); n > 0 {
		r.Note("%d links repeat an earlier one and were dropped: the graph is not declared a multigraph.", n)
	}
	return nil
}

func (r *attributed) find(v any) (int32, error) {
	id, _ := idOf(v)
	node, ok := r.ids.Find([]byte(id))
	if !ok {
		return 0, fmt.Errorf("there is no node %.80q", cellOf(v))
	}
	return node, nil
}

// cells returns an attribute of all nodes, and whether any node has it.
func (r *attributed) cells(name string) (cells []string, ok bool) {
	for _, node := range r.nodes {
		v, has := node[name]
		cells, ok = append(cells, cellOf(v)), ok || has
	}
	return cells, ok
}

// divide sets the classes of nodes, and the split if they have one.
func (r *attributed) divide() error {
	var parts [3][]int32
	for _, name := range classAttributes {
		if cells, ok := r.cells(name); ok && r.Labels.Class == nil {
			r.ClassTexts(cells)
		}
	}
	for v, node := range r.nodes {
		word := cellOf(node["split"])
		for i, words := range [3][]string{{"train"}, {"val", "valid"}, {"test"}} {
			flag := cellOf(node[words[0]+"_mask"])
			if slices.Contains(words, word) || flag == "true" || flag == "1" {
				parts[i] = append(parts[i], int32(v))
			}
		}
	}
	if r.Labels.Class == nil {
		r.Metric = "mrr"
	}
	if r.Labels.Class == nil || slices.Concat(parts[0], parts[1], parts[2]) == nil {
		return nil
	}
	return r.SplitOnce(r.File, parts[0], parts[1], parts[2])
}

// The attributes of nodes that are not features.
var (
	classAttributes = []string{"label", "class", "y"}
	otherAttributes = append([]string{"id", "split", "train_mask", "val_mask", "test_mask"}, classAttributes...)
)

// features reads the remaining attributes that are numbers.
func (r *attributed) features() error {
	names := map[string]bool{}
	for _, node := range r.nodes {
		for name := range node {
			names[name] = !slices.Contains(otherAttributes, name)
		}
	}
	var columns []*column
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !names[name] {
			continue
		}
		c := &column{name: name, budget: r.Budget}
		for v, node := range r.nodes {
			if c.text {
				break // nothing that follows can change it
			}
			if _, word := node[name].(string); word {
				c.text = true
			}
			if err := c.add(cellOf(node[name])); err != nil {
				return files.OrAt(err,
					files.Errorf(r.File, "attribute %q of node %q: %v", name, r.IDs.At(int32(v)), err))
			}
		}
		if c.text {
			r.Note("Attribute %q of nodes is not always a number and was left out.", name)
		}
		columns = append(columns, c)
	}
	x, err := sideBySide(columns, r.ids.Len(), r.Budget)
	r.Features = []dataset.Matrix{x}
	return err
}

// idOf returns a value as an id, which is a text or a number.
func idOf(v any) (id string, ok bool) {
	switch v.(type) {
	case string, json.Number:
		id = cellOf(v)
	}
	return id, id != ""
}

// cellOf returns a value as a cell of a table: null is empty, a list has commas between its values.
func cellOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		cells := make([]string, len(v))
		for i, x := range v {
			cells[i] = cellOf(x)
		}
		return strings.Join(cells, ",")
	}
	return fmt.Sprint(v)
}

// parseWeight reads a finite number that is not negative.
func parseWeight(cell string) (mat.Real, error) {
	x, err := strconv.ParseFloat(cell, 32)
	if err != nil || !(x >= 0 && x <= math.MaxFloat32) {
		return 0, fmt.Errorf("the weight %.80q is not a finite number, 0 or more", cell)
	}
	return mat.Real(x), nil
}

// column is a column of features, with width numbers per cell, as long as all cells are numbers.
type column struct {
	name   string
	width  int
	values []mat.Real
	text   bool // a cell was not numbers; the column is not a feature
	budget *files.Budget
}

// add appends the numbers of a cell, separated by commas. The first cell sets the width.
func (c *column) add(cell string) error {
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
		if c.values, err = files.Append(c.budget, c.values, "column "+c.name, mat.Real(x)); err != nil {
			return err
		}
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

// sideBySide returns the features of rows nodes; the zero matrix if no column is a feature.
func sideBySide(columns []*column, rows int, b *files.Budget) (dataset.Matrix, error) {
	x := dataset.Matrix{Rows: rows}
	for _, c := range columns {
		if !c.text {
			x.Cols += c.width
		}
	}
	if x.Cols == 0 {
		return dataset.Matrix{}, nil
	}
	if err := b.Take(int64(rows)*int64(x.Cols)*int64(unsafe.Sizeof(mat.Real(0))),
		fmt.Sprintf("features of %d nodes in %d columns", rows, x.Cols)); err != nil {
		return dataset.Matrix{}, err
	}
	x.Values = make([]mat.Real, 0, rows*x.Cols)
	for i := range rows {
		for _, c := range columns {
			if !c.text {
				x.Values = append(x.Values, c.values[i*c.width:(i+1)*c.width]...)
			}
		}
	}
	return x, nil
}
