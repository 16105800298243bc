package ondisk

import (
	"fmt"
	"os"
	"time"

	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
)

// list finds the tables, and what identifies their contents.
func (s *TableSource) list() (err error) {
	for _, name := range s.spec.Nodes {
		s.nodes = append(s.nodes, table.Parts(name)...)
	}
	for _, name := range s.spec.Edges {
		s.edges = append(s.edges, table.Parts(name)...)
	}
	p := s.spec
	s.origin = []string{"set " + p.Name, fmt.Sprintf("columns id %q, source %q, target %q, label %q, split %q, "+
		"without %q, seed %d", p.ID, p.Source, p.Target, p.Label, p.Split, p.Ignore, p.Seed)}
	for kind, names := range [][]string{s.nodes, s.edges} {
		for i, name := range names {
			line, err := stamp(name)
			if err != nil {
				return err
			}
			s.origin = append(s.origin, fmt.Sprintf("%s %d, %s", []string{"nodes", "edges"}[kind], i+1, line))
		}
	}
	return nil
}

// stamp returns a line that changes when a table does. A server does not say whether a table has changed, so its line
// is never the same.
func stamp(name string) (string, error) {
	if table.IsPostgres(name) {
		return "a table of a server, read at " + time.Now().Format(time.RFC3339Nano), nil
	}
	info, err := os.Stat(table.File(name))
	if err != nil {
		return "", files.Because(table.File(name), err)
	}
	return fmt.Sprintf("%s of %d bytes, changed at %s", name, info.Size(),
		info.ModTime().UTC().Format(time.RFC3339Nano)), nil
}

var _ Source = (*TableSource)(nil)

// Origin returns the tables with their sizes and times, and what their columns mean.
func (s *TableSource) Origin() []string { return s.origin }
