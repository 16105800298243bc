package tables

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
)

// list finds the tables, and what tells them from others.
func (s *Source) list() (err error) {
	if s.nodes, err = matching(s.spec.Nodes); err != nil {
		return err
	}
	if s.edges, err = matching(s.spec.Edges); err != nil {
		return err
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

// stamp is a line that changes with a table. A server does not say whether one has changed: its line is never the same.
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

var _ ondisk.Source = (*Source)(nil)

// Origin are the tables with their sizes and times, and what their columns mean.
func (s *Source) Origin() []string { return s.origin }

// matching are those that patterns name, in order; one that names none is an error.
func matching(patterns []string) ([]string, error) {
	var list []string
	for _, p := range patterns {
		if !strings.ContainsAny(p, "*?[") {
			list = append(list, p)
			continue
		}
		names, err := filepath.Glob(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		if len(names) == 0 {
			return nil, files.Errorf(p, "no file has such a name")
		}
		slices.Sort(names)
		list = append(list, names...)
	}
	return list, nil
}
