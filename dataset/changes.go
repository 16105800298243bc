package dataset

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Changes returns the differences between a data set as it was, f, and as it is now, one phrase each; nil if they are
// the same.
func (f Fingerprint) Changes(now Fingerprint) []string {
	var list []string
	count := func(what string, was, is int, part string) {
		switch {
		case was != is:
			list = append(list, fmt.Sprintf("%d %s (%d before)", is, what, was))
		case f.Sums[part] != now.Sums[part]:
			list = append(list, "other "+what)
		}
	}
	count("nodes", f.Nodes, now.Nodes, partIDs)
	count("edges", f.Edges, now.Edges, partEdges)
	columns := f.columns(now)
	if list = append(list, columns...); len(columns) == 0 && f.Sums[partFeatures] != now.Sums[partFeatures] {
		list = append(list, "different values in the same columns")
	}
	list = append(list, f.names(now)...)
	for _, x := range []struct{ part, text string }{{partLabels, "other labels"}, {partSplits, "another split"},
		{partFacts, "other validation or test facts"}, {partFalse, "other false facts"},
		{partTwin, "another graph to test on"}, {partEvents, "other events"}} {
		if f.Sums[x.part] != now.Sums[x.part] {
			list = append(list, x.text)
		}
	}
	return list
}

// Unfit returns those Changes with which a model of one set cannot be used on the other: different columns, classes or
// relations. Columns that were fitted again are not among them: importer.Encode makes features as before.
func (f Fingerprint) Unfit(now Fingerprint) []string {
	kept := func(text string) bool { return strings.HasSuffix(text, FittedAnew) }
	return append(slices.DeleteFunc(f.columns(now), kept), f.names(now)...)
}

// names returns the changes of classes and relations.
func (f Fingerprint) names(now Fingerprint) (list []string) {
	for _, x := range []struct {
		what    string
		was, is []string
	}{{"class", f.Classes, now.Classes}, {"relation", f.Relations, now.Relations}} {
		if slices.Equal(x.was, x.is) {
			continue
		}
		before := len(list)
		for _, name := range x.is {
			if !slices.Contains(x.was, name) {
				list = append(list, fmt.Sprintf("a new %s %q", x.what, name))
			}
		}
		for _, name := range x.was {
			if !slices.Contains(x.is, name) {
				list = append(list, fmt.Sprintf("no %s %q", x.what, name))
			}
		}
		if len(list) == before {
			list = append(list, "a different order of names of a "+x.what)
		}
	}
	return list
}

// columns returns the changes of columns and of the features they become.
func (f Fingerprint) columns(now Fingerprint) (list []string) {
	if f.Schema == nil || now.Schema == nil {
		if f.Features != now.Features {
			list = append(list, fmt.Sprintf("%d features (%d before)", now.Features, f.Features))
		}
		return list
	}
	return f.Schema.Changes(now.Schema)
}

// FittedAnew ends the phrase for a column that became different features in the same way.
const FittedAnew = " was fitted again"

// Changes returns the differences of now in the columns that become features, one phrase each.
func (s *Schema) Changes(now *Schema) (list []string) {
	was, is := s.byName(), now.byName()
	for _, name := range now.names() {
		old, new := was[name], is[name]
		switch {
		case was[name] == nil:
			list = append(list, fmt.Sprintf("a new column %q", name))
		case old.Kind != new.Kind:
			list = append(list, fmt.Sprintf("column %q is a %s (a %s before)", name, new.Kind, old.Kind))
		case !reflect.DeepEqual(old.transform(), new.transform()):
			list = append(list, fmt.Sprintf("column %q", name)+FittedAnew)
		}
	}
	for _, name := range s.names() {
		if is[name] == nil {
			list = append(list, fmt.Sprintf("no column %q", name))
		}
	}
	if len(list) == 0 && !slices.Equal(s.names(), now.names()) {
		list = append(list, "another order of columns")
	}
	return list
}

// transform returns c without what is only informative.
func (c Column) transform() Column {
	c.Why, c.Missing, c.Unread, c.Example = "", 0, 0, ""
	return c
}

// names returns the columns that become features, with the node type if there are several, and edges for columns of
// edges.
func (s *Schema) names() (list []string) {
	for _, t := range s.all() {
		for _, c := range t.Columns {
			if c.Width() > 0 {
				list = append(list, s.name(t, c))
			}
		}
	}
	return list
}

// all returns the columns of nodes and of edges.
func (s *Schema) all() []TypeSchema {
	if s.Edges == nil {
		return s.Types
	}
	return append(slices.Clone(s.Types), *s.Edges)
}

func (s *Schema) name(t TypeSchema, c Column) string {
	if len(s.Types) > 1 || t.Name == OfEdges {
		return t.Name + "/" + c.Name
	}
	return c.Name
}

func (s *Schema) byName() map[string]*Column {
	all := map[string]*Column{}
	for _, t := range s.all() {
		for _, c := range t.Columns {
			if c.Width() > 0 {
				all[s.name(t, c)] = &c
			}
		}
	}
	return all
}
