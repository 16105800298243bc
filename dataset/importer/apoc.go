package importer

import (
	"strings"

	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
)

// Apoc returns the tables of nodes and of edges of a file that Neo4j's apoc.export.csv has written, and false for
// another file. Types of nodes have the name of their labels.
func Apoc(path string) (nodes, edges []Input, ok bool, err error) {
	labels, types, ok, err := table.ApocTables(path, files.NewBudget())
	for _, name := range labels {
		nodes = append(nodes, Input{Name: strings.ReplaceAll(name, ":", "_"), Table: path + "#" + name})
	}
	for _, name := range types {
		edges = append(edges, Input{Name: strings.ReplaceAll(name, ":", "_"), Table: path + "#" + name})
	}
	return nodes, edges, ok, err
}
