package dataset

import (
	"fmt"
	"reflect"
	"slices"
)

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
