package energy

import (
	"fmt"
	"strings"
)

// NameOf is what reports and errors call a term: its Name, if it has such a method, else its type.
func NameOf(t any) string {
	switch t := t.(type) {
	case interface{ Name() string }:
		return t.Name()
	case plainEdges:
		return NameOf(t.EdgeTerm)
	}
	name := fmt.Sprintf("%T", t)
	return strings.TrimPrefix(name[strings.LastIndexByte(name, '.')+1:], "*")
}
