package format

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/part"
)

// pairTable is the format of graphs with nothing but edges: a table with two columns, source and target, as the
// importer reads it. It may have a header. Edges are undirected; only links can be learnt from it.
var pairTable = part.Part[Reader]{Name: "a table of pairs", Text: "edges in a .csv or .tsv of two columns",
	New: pairFile{}}

type pairFile struct{}

// Match looks for one comma or tab in the first line.
func (pairFile) Match(path string, dir bool) bool {
	between, ok := map[string]byte{".csv": ',', ".tsv": '\t'}[filepath.Ext(strings.TrimSuffix(path, ".gz"))]
	return !dir && ok && bytes.Count(firstLine(path), []byte{between}) == 1
}

func (pairFile) Read(path string) (*dataset.Dataset, error) {
	d, _, err := importer.Run(context.Background(), importer.Spec{
		Name: nameOf(path), Edges: []importer.Input{{Table: path}}})
	return d, err
}

// firstLine returns the first line of a text file, empty if it cannot be read.
func firstLine(path string) []byte {
	t, err := files.OpenText(path, nil)
	if err != nil {
		return nil
	}
	defer t.Close()
	head, _ := t.Peek(t.Size())
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	return line
}

// neo4j is a file of apoc.export.csv, which holds all nodes and relationships of a Neo4j database: _id, _labels, the
// properties of nodes, _start, _end, _type and the properties of relationships. The importer reads it as a table for
// every label and every type. Only links can be learnt from it; bloom data import FILE --label names a label.
var neo4j = part.Part[Reader]{Name: "a Neo4j export", Text: "Neo4j's apoc .csv", New: neo4jFile{}}

type neo4jFile struct{}

// Match looks at the header.
func (neo4jFile) Match(path string, dir bool) bool {
	if dir || filepath.Ext(strings.TrimSuffix(path, ".gz")) != ".csv" {
		return false
	}
	line := bytes.ReplaceAll(firstLine(path), []byte{'"'}, nil)
	return bytes.HasPrefix(line, []byte("_id,_labels,")) && bytes.Contains(line, []byte(",_start,_end,_type"))
}

// Read imports the tables.
func (neo4jFile) Read(path string) (*dataset.Dataset, error) {
	nodes, edges, ok, err := importer.Apoc(path)
	if err != nil {
		return nil, err
	}
	if !ok || len(edges) == 0 {
		return nil, files.Errorf(path, "it has no relationships")
	}
	d, _, err := importer.Run(context.Background(), importer.Spec{
		Name: nameOf(path), Nodes: nodes, Edges: edges})
	return d, err
}
