package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/part"
)

// nodeLink is the JSON of networkx's node_link_data, in a file .json, packed or not:
//
//	{"directed": false, "multigraph": false, "graph": {"name": "team"},
//	 "nodes": [{"id": "ann", "age": 31, "label": "ops", "split": "train"}, …],
//	 "links": [{"source": "ann", "target": "bob", "weight": 2}, …]}
//
// links may be called edges. An id is a text or a number. Of the attributes of nodes, label, class or y is the class;
// split (train, val or valid, test), or train_mask, val_mask and test_mask, is the split; numbers, or lists of numbers
// of one length, are features, in the order of their names, if every node has them. Links may have a weight. A graph
// that is not a multigraph has every edge once.
var nodeLink = part.Part[Reader]{Name: "node-link JSON", Text: "node-link .json", New: nodeLinkFile{}}

type nodeLinkFile struct{}

// Match looks for an object that speaks of nodes.
func (nodeLinkFile) Match(path string, dir bool) bool {
	if dir || filepath.Ext(strings.TrimSuffix(path, ".gz")) != ".json" {
		return false
	}
	t, err := files.OpenText(path, nil)
	if err != nil {
		return true // reading reports what is wrong with it
	}
	defer t.Close()
	head, _ := t.Peek(t.Size())
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte{'{'}) && bytes.Contains(head, []byte(`"nodes"`))
}

// Read reads a file.
func (nodeLinkFile) Read(path string) (*dataset.Dataset, error) {
	name := strings.TrimSuffix(filepath.Base(strings.TrimSuffix(path, ".gz")), ".json")
	r := &nodeLinks{Builder: build.New(path, name)}
	for _, step := range []func() error{r.decode, r.number, r.connect, r.divide, r.features} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.Dataset, nil
}

// nodeLinks is a file being read.
type nodeLinks struct {
	*build.Builder
	ids  build.Names
	json struct {
		Directed, Multigraph bool
		Graph                any // an object if it has attributes
		Nodes, Links, Edges  []map[string]any
	}
}

// decode reads the JSON.
func (r *nodeLinks) decode() error {
	t, err := files.OpenText(r.File, r.Budget)
	if err != nil {
		return err
	}
	defer t.Close()
	d := json.NewDecoder(&jsonMeter{t, r.Budget})
	d.UseNumber()
	var wrong *json.SyntaxError
	var other *json.UnmarshalTypeError
	switch err := d.Decode(&r.json); {
	case errors.As(err, &wrong):
		return files.ErrorAtByte(r.File, wrong.Offset, "%v", err)
	case errors.As(err, &other):
		return files.ErrorAtByte(r.File, other.Offset, "%s is a %s", other.Field, other.Value)
	case err != nil:
		return files.InFile(r.File, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return files.ErrorAtByte(r.File, d.InputOffset(), "there is more after the graph")
	}
	if about, ok := r.json.Graph.(map[string]any); ok {
		r.Name = cmp.Or(cellOf(about["name"]), r.Name)
	}
	return nil
}

// jsonMeter passes on JSON and takes the memory of its decoded form from the budget: maps and lists, members and texts.
// It also counts text between quotes; the error is small.
type jsonMeter struct {
	r io.Reader
	b *files.Budget
}

// The memory of an object and of a member.
const (
	objectBytes = 320
	memberBytes = 40
)

func (m *jsonMeter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	objects := bytes.Count(p[:n], []byte{'{'}) + bytes.Count(p[:n], []byte{'['})
	members := bytes.Count(p[:n], []byte{','}) + bytes.Count(p[:n], []byte{':'})
	if e := m.b.Take(int64(objects*objectBytes+members*memberBytes+2*n), "the JSON values"); e != nil {
		return 0, e
	}
	return n, err
}

// number gives nodes their numbers.
func (r *nodeLinks) number() error {
	for v, node := range r.json.Nodes {
		id, ok := idOf(node["id"])
		number, err := r.ID(&r.ids, []byte(id))
		if err != nil {
			return err
		}
		if !ok || int(number) < v {
			return files.Errorf(r.File,
				"node %d has the id %.80q, which is not a text or a number, or was there before",
				v, cellOf(node["id"]))
		}
	}
	r.IDs = build.IDs(&r.ids)
	return nil
}

// connect builds the graph.
func (r *nodeLinks) connect() error {
	links := append(r.json.Links, r.json.Edges...)
	spec := graph.Spec{Nodes: r.ids.Len(), Undirected: !r.json.Directed, Weights: make([]mat.Real, len(links))}
	if !r.json.Multigraph {
		spec.DropDuplicates = true
	}
	weighted := false
	for i, link := range links {
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
		r.Note("%d links repeat an earlier one and were dropped: the graph is no multigraph.", n)
	}
	return nil
}

// find returns the node of an id.
func (r *nodeLinks) find(v any) (int32, error) {
	id, _ := idOf(v)
	node, ok := r.ids.Find([]byte(id))
	if !ok {
		return 0, fmt.Errorf("there is no node %.80q", cellOf(v))
	}
	return node, nil
}

// cells returns an attribute of all nodes, and whether any node has it.
func (r *nodeLinks) cells(name string) (cells []string, ok bool) {
	for _, node := range r.json.Nodes {
		v, has := node[name]
		cells, ok = append(cells, cellOf(v)), ok || has
	}
	return cells, ok
}

// divide sets the classes of nodes, and the split if they have one.
func (r *nodeLinks) divide() error {
	var parts [3][]int32
	for _, name := range nodeLinkClasses {
		if cells, ok := r.cells(name); ok && r.Labels.Class == nil {
			r.ClassTexts(cells)
		}
	}
	for v, node := range r.json.Nodes {
		word := cellOf(node["split"])
		for i, words := range [3][]string{{"train"}, {"val", "valid"}, {"test"}} {
			flag := cellOf(node[words[0]+"_mask"])
			if slices.Contains(words, word) || flag == "true" || flag == "1" {
				parts[i] = append(parts[i], int32(v))
			}
		}
	}
	if r.Labels.Class == nil || slices.Concat(parts[0], parts[1], parts[2]) == nil {
		return nil
	}
	return r.SplitOnce(r.File, parts[0], parts[1], parts[2])
}

// The attributes of nodes that are not features.
var (
	nodeLinkClasses = []string{"label", "class", "y"}
	nodeLinkOthers  = append([]string{"id", "split", "train_mask", "val_mask", "test_mask"}, nodeLinkClasses...)
)

// features reads the remaining attributes that are numbers.
func (r *nodeLinks) features() error {
	names := map[string]bool{}
	for _, node := range r.json.Nodes {
		for name := range node {
			names[name] = !slices.Contains(nodeLinkOthers, name)
		}
	}
	var columns []*column
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !names[name] {
			continue
		}
		c := &column{name: name, budget: r.Budget}
		for v, node := range r.json.Nodes {
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
			r.Note("Attribute %q of nodes is not a number everywhere and was left out.", name)
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
