package format

import (
	"bytes"
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/part"
)

// dgl is the format of DGL's CSVDataset with one graph: meta.yaml lists a table for every type
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
var dgl = part.Part[Reader]{Name: "a DGL CSV folder", Text: "DGL folders", New: dglFolder{}}

type dglFolder struct{}

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

// The names that DGL gives to unnamed types.
const (
	dglNode = "_N"
	dglEdge = "_E"
)

// Match looks for meta.yaml that speaks of nodes.
func (dglFolder) Match(path string, dir bool) bool {
	if !dir {
		return false
	}
	t, err := files.OpenText(filepath.Join(path, "meta.yaml"), nil)
	if err != nil {
		return false
	}
	defer t.Close()
	head, _ := t.Peek(t.Size())
	return bytes.Contains(head, []byte("node_data:"))
}

// readDGLMeta reads meta.yaml, at most 1 MiB of it.
func readDGLMeta(path string) (*dglMeta, error) {
	t, err := files.OpenText(path, nil)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	b, err := io.ReadAll(io.LimitReader(t, 1<<20))
	if err != nil {
		return nil, files.InFile(path, err)
	}
	var m dglMeta
	if err := yaml.Unmarshal(b, &m); err != nil {
		return nil, files.Because(path, err)
	}
	return &m, nil
}

// Read opens a folder.
func (dglFolder) Read(dir string) (*dataset.Dataset, error) {
	dir, err := files.Named(dir)
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
		return nil, files.Errorf(meta, "the separator %q is not one character", m.Separator)
	}
	r := dglReader{Builder: build.New(dir, cmp.Or(m.Name, filepath.Base(dir))), dir: dir, comma: comma}
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
	return r.Dataset, r.finish()
}

// dglReader collects the tables of a folder.
type dglReader struct {
	*build.Builder
	dir       string
	comma     rune
	types     []*dglType
	relations [][3]string // source type, relation, target type
	edges     []graph.Triple
	weights   []mat.Real // one per edge, 1 if a table has none
	weighted  bool       // some table has weights
}

// open opens a table of the folder that has the columns needed.
func (r *dglReader) open(name string, needed ...string) (*files.CSV, error) {
	if !filepath.IsLocal(name) {
		return nil, files.Errorf(filepath.Join(r.dir, "meta.yaml"), "the file %q is not inside the folder", name)
	}
	t, err := files.OpenCSV(filepath.Join(r.dir, name), r.comma, r.Budget)
	if err != nil {
		return nil, err
	}
	for _, column := range needed {
		if !slices.Contains(t.Header, column) {
			t.Close()
			return nil, files.ErrorAt(t.Path, 1, "there is no column %q among %q", column, t.Header)
		}
	}
	return t, nil
}

// typeNamed returns the type of nodes with a name, nil if the name is unknown.
func (r *dglReader) typeNamed(name string) *dglType {
	for _, t := range r.types {
		if t.name == name {
			return t
		}
	}
	return nil
}

// finish builds the set from what was read.
func (r *dglReader) finish() error {
	var tables []*build.Names
	var sizes []int
	n := 0
	for _, t := range r.types {
		tables, sizes = append(tables, &t.ids), append(sizes, t.ids.Len())
		n += t.ids.Len()
		x, err := sideBySide(t.columns, t.ids.Len(), r.Budget)
		if err != nil {
			return err
		}
		r.Features = append(r.Features, x)
		for _, c := range t.columns {
			if c.text {
				r.Note("Column %q of type %s does not hold numbers only and was left out.", c.name, t.name)
			}
		}
		if len(r.types) > 1 {
			r.Types = append(r.Types, t.name)
		}
	}
	r.IDs = build.IDs(tables...)
	spec := graph.Spec{Nodes: n, Relations: len(r.relations), Triples: r.edges, NodeTypes: build.Types(sizes...),
		Types: len(r.types)}
	if r.weighted {
		spec.Weights = r.weights
	}
	if err := r.Connect(spec); err != nil {
		return err
	}
	r.nameRelations()
	r.label(n)
	return nil
}

// nameRelations names relations by their middle word, or by all three words if that is not unique.
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
		r.Relations = append(r.Relations, name)
	}
}
