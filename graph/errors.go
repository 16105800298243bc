package graph

import (
	"fmt"
	"math"
)

// refusal says which value was refused, where it was and why.
//
//	triple 17: target 2708 is not below 2708 nodes
type refusal struct {
	Place  string // what was refused: "triple", "weight", "nodes", "seed"
	Index  int    // its position in the input, or -1 where there is only one
	Field  string // the part of it: "source", "target", "relation", or empty
	Value  any    // the refused value
	Reason string // "is not below 2708 nodes"
}

func (e *refusal) Error() string {
	place := e.Place
	if e.Index >= 0 {
		place = fmt.Sprintf("%s %d:", e.Place, e.Index)
	}
	if e.Field != "" {
		place += " " + e.Field
	}
	return fmt.Sprintf("%s %v %s", place, e.Value, e.Reason)
}

// below returns nil when 0 ≤ id < limit, and otherwise the error that says so.
func below(place string, index int, field string, id int32, limit int, of string) error {
	switch {
	case id < 0:
		return &refusal{place, index, field, id, "is negative"}
	case int(id) >= limit:
		return &refusal{place, index, field, id, fmt.Sprintf("is not below %d %s", limit, of)}
	}
	return nil
}

// countable returns nil when n things can be numbered by int32.
func countable(place string, n int) error {
	switch {
	case n < 0:
		return &refusal{place, -1, "", n, "is negative"}
	case n > math.MaxInt32:
		return &refusal{place, -1, "", n, fmt.Sprintf("is above %d, the most that int32 ids can number", math.MaxInt32)}
	}
	return nil
}

// checkCounts returns nil when everything in a graph can be numbered by int32.
func checkCounts(nodes, relations, types, edges int) error {
	for i, n := range []int{nodes, relations, types, edges} {
		if err := countable([]string{"nodes", "relations", "types", "edges"}[i], n); err != nil {
			return err
		}
	}
	return nil
}
