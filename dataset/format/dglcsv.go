package format

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/internal/build"
	"github.com/bloomgml/bloom/dataset/internal/textfile"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/fileerr"
)

// dglFolder is the format of DGL's CSVDataset with one graph: meta.yaml lists a table for every type
// of nodes and one for every type of edges.
//
//	dataset_name: team
//	separator: ','                              # may be missing
//	node_data:
//	- {file_name: people.csv, ntype: person}    # ntype may be missing where there is one
//	edge_data:
//	- {file_name: follows.csv, etype: [person, follows, person]}
//
// Nodes have a node_id, any text, and may have label, train_mask, val_mask and test_mask; every other
// column is a feature, of one number or of several between commas. Edges have src_id and dst_id, and
// may have a weight. The graph is directed.
var dglFolder = format{"a DGL CSV folder", matchDGL, readDGL}

// dglMeta is meta.yaml.
type dglMeta struct {
	Name      string `yaml:"dataset_name"`
	Separator string `yaml:"separator"`
	Nodes     []struct {
		File string `yaml:"file_name"`
		Type string `yaml:"ntype"`
	} `yaml:"node_data"`
	Edges []struct {
		File string   `yaml:"file_name"`
		Type []string `yaml:"etype"`
	} `yaml:"edge_data"`
}

// The names that DGL gives to types that have none.
const (
	dglNode = "_N"
	dglEdge = "_E"
)

// matchDGL looks for meta.yaml that speaks of nodes.
func matchDGL(path string, dir bool) bool {
	if !dir {
		return false
	}
	t, err := textfile.Open(filepath.Join(path, "meta.yaml"))
	if err != nil {
		return false
	}
	defer t.Close()
	head, _ := t.Peek(t.Size())
	return bytes.Contains(head, []byte("node_data:"))
}

// readDGLMeta reads meta.yaml, of which 1 MiB is more than enough.
func readDGLMeta(path string) (*dglMeta, error) {
	t, err := textfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	b, err := io.ReadAll(io.LimitReader(t, 1<<20))
	if err != nil {
		return nil, textfile.InFile(path, err)
	}
	var m dglMeta
	if err := yaml.Unmarshal(b, &m); err != nil {
		return nil, fileerr.Because(path, err)
	}
	return &m, nil
}

// readDGL opens a folder.
func readDGL(dir string) (*dataset.Dataset, error) {
	dir, err := textfile.Named(dir)
	if err != nil {
		return nil, err
	}
	meta := filepath.Join(dir, "meta.yaml")
	m, err := readDGLMeta(meta)
	if err != nil {
		return nil, err
	}
	comma, size := utf8.DecodeRuneInString(m.Separator)
	if m.Separator == "" {
		comma = ','
	} else if size != len(m.Separator) || strings.ContainsRune("\"\r\n\ufeff\ufffd", comma) {
		return nil, fileerr.In(meta, "the separator %q is not one character", m.Separator)
	}
	r := dglReader{dir: dir, comma: comma, d: &dataset.Dataset{Name: m.Name}}
	if m.Name == "" {
		r.d.Name = filepath.Base(dir)
	}
	for _, x := range m.Nodes {
		if err := r.readNodes(x.File, x.Type); err != nil {
			return nil, err
		}
	}
	for _, x := range m.Edges {
		if err := r.readEdges(x.File, x.Type); err != nil {
			return nil, err
		}
	}
	return r.d, r.finish()
}

// dglReader collects the tables of a folder.
type dglReader struct {
	dir       string
	comma     rune
	d         *dataset.Dataset
	types     []*dglType
	relations [][3]string // source type, relation, target type
	edges     []graph.Triple
	weights   []graph.Real // one per edge, 1 where a table has none
	weighted  bool         // a table has some
}

// open opens a table of the folder that has the columns needed.
func (r *dglReader) open(name string, needed ...string) (*textfile.CSV, error) {
	if !filepath.IsLocal(name) {
		return nil, fileerr.In(filepath.Join(r.dir, "meta.yaml"), "the file %q is not inside the folder", name)
	}
	t, err := textfile.OpenCSV(filepath.Join(r.dir, name), r.comma)
	if err != nil {
		return nil, err
	}
	for _, column := range needed {
		if !slices.Contains(t.Header, column) {
			t.Close()
			return nil, fileerr.At(t.Path, 1, "there is no column %q among %q", column, t.Header)
		}
	}
	return t, nil
}

// typeNamed is the type of nodes with a name, nil where there is none.
func (r *dglReader) typeNamed(name string) *dglType {
	for _, t := range r.types {
		if t.name == name {
			return t
		}
	}
	return nil
}

// finish makes a set of what was read.
func (r *dglReader) finish() error {
	n := 0
	var ids dataset.IDs
	kinds := []int32(nil)
	for k, t := range r.types {
		for _, end := range t.ids.Ends() {
			ids.Ends = append(ids.Ends, int64(len(ids.Bytes))+end)
		}
		ids.Bytes = append(ids.Bytes, t.ids.Bytes()...)
		kinds = append(kinds, slices.Repeat([]int32{int32(k)}, t.ids.Len())...)
		n += t.ids.Len()
		r.d.Types = append(r.d.Types, t.name)
		r.d.Features = append(r.d.Features, t.matrix())
		for _, c := range t.columns {
			if c.text {
				build.Note(r.d, "Column %q of type %s does not hold numbers only and was left out.", c.name, t.name)
			}
		}
	}
	r.d.IDs = dataset.MapIDs(ids.Ends, ids.Bytes)
	if len(r.types) == 1 {
		r.d.Types = nil
	}
	spec := graph.Spec{Nodes: n, Relations: len(r.relations), Triples: r.edges, NodeTypes: kinds, Types: len(r.types)}
	if r.weighted {
		spec.Weights = r.weights
	}
	var err error
	if r.d.Graph, err = graph.Build(spec); err != nil {
		return fileerr.Because(r.dir, err)
	}
	r.nameRelations()
	r.label(n)
	return nil
}

// nameRelations names relations by their middle word, or by all three where that is not unique.
func (r *dglReader) nameRelations() {
	if len(r.relations) < 2 {
		return
	}
	count := map[string]int{}
	for _, x := range r.relations {
		count[x[1]]++
	}
	for _, x := range r.relations {
		name := x[1]
		if count[name] > 1 {
			name = strings.Join(x[:], ":")
		}
		r.d.Relations = append(r.d.Relations, name)
	}
}
