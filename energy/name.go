package energy

import (
	"fmt"
	"strings"
)

// Named is a term that says what it is called in reports and errors. Others go by their type.
type Named interface{ Name() string }

// nameOf is the name of a term.
func nameOf(t any) string {
	switch t := t.(type) {
	case Named:
		return t.Name()
	case plainEdges:
		return nameOf(t.EdgeTerm)
	}
	name := fmt.Sprintf("%T", t)
	return strings.TrimPrefix(name[strings.LastIndexByte(name, '.')+1:], "*")
}
