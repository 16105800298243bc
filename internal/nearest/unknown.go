package nearest

import (
	"fmt"
	"strings"
)

// Unknown is the error for a name that nothing has.
type Unknown struct {
	Kind string // as in "no recipe"
	Name string
	Near string   // the name that was probably meant; empty where none is near
	All  []string // the names there are, where none is near and there are few; else nil
}

// few is how many names an error lists.
const few = 20

// NewUnknown is the error for a name of some kind that is none of known.
func NewUnknown(kind, name string, known []string) *Unknown {
	e := &Unknown{Kind: kind, Name: name, Near: Name(name, known)}
	if e.Near == "" && len(known) <= few {
		e.All = known
	}
	return e
}

// Error proposes the nearest name, or lists them all.
func (e *Unknown) Error() string {
	switch {
	case e.Near != "":
		return fmt.Sprintf("no %s %q; did you mean %q?", e.Kind, e.Name, e.Near)
	case len(e.All) > 0:
		return fmt.Sprintf("no %s %q; there are %s", e.Kind, e.Name, strings.Join(e.All, ", "))
	}
	return fmt.Sprintf("no %s %q", e.Kind, e.Name)
}
