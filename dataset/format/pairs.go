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

// Read imports the table.
func (pairFile) Read(path string) (*dataset.Dataset, error) {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	d, _, err := importer.Run(context.Background(), importer.Spec{
		Name: strings.TrimSuffix(name, filepath.Ext(name)), Edges: []importer.Input{{Table: path}}})
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
