package keys

import (
	"fmt"
	"strings"
)

// Unknown is the error for an unknown name.
type Unknown struct {
	Kind string // as in "no recipe"
	Name string
	Near []string // the names that were probably meant, nearest first; nil if no name is near
	All  []string // all names, if none is near and there are few; otherwise nil
}

// few is the maximum number of names that an error lists.
const few = 20

// NewUnknown returns the error for a name of some kind that is not in known, with the nearest names.
func NewUnknown(kind, name string, known []string) *Unknown {
	e := &Unknown{Kind: kind, Name: name}
	if near := Name(name, known); near != "" {
		e.Near = []string{near}
	} else if len(known) <= few {
		e.All = known
	}
	return e
}

// Error proposes the nearest names, or lists them all.
func (e *Unknown) Error() string {
	text := fmt.Sprintf("no %s %q", e.Kind, e.Name)
	switch {
	case len(e.Near) > 0:
		return text + didYouMean(e.Near...)
	case len(e.All) > 0:
		return text + "; there are " + strings.Join(e.All, ", ")
	}
	return text
}

// Suggest returns `; did you mean "--json"?` for the name that was probably meant, with the prefix that users type
// before names; empty if no name is near.
func Suggest(typed string, names []string, prefix string) string {
	if name := Name(typed, names); name != "" {
		return didYouMean(prefix + name)
	}
	return ""
}

// didYouMean returns `; did you mean "a", "b" or "c"?`.
func didYouMean(names ...string) string {
	text := "; did you mean "
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			text += " or "
		case i > 0:
			text += ", "
		}
		text += fmt.Sprintf("%q", name)
	}
	return text + "?"
}
