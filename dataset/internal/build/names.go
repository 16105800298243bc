package build

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/fileerr"
)

// ClassName is the name of a class: 0 and 0.0 are the same. Beyond 2⁵³ numbers that differ could
// become equal, so those are words.
func ClassName(s string) string {
	if x, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(x) < 1<<53 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return s
}

// ClassNames are the distinct values of class, numbers by size before words by spelling.
func ClassNames[K comparable](class map[K]string) []string {
	seen := map[string]bool{}
	for _, name := range class {
		seen[name] = true
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		switch {
		case errX == nil && errY == nil:
			return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
		case errX == nil:
			return -1
		case errY == nil:
			return 1
		}
		return cmp.Compare(a, b)
	})
	return names
}

// CheckDisjoint returns an error if a node is in two parts of s, or twice in one.
func CheckDisjoint(s dataset.Split, path string, nodes int) error {
	in := make([]string, nodes)
	for _, part := range []struct {
		name string
		ids  []int32
	}{{"train", s.Train}, {"valid", s.Valid}, {"test", s.Test}} {
		for _, v := range part.ids {
			if in[v] != "" {
				return fileerr.In(path, "node %d is in the parts %s and %s of a split", v, in[v], part.name)
			}
			in[v] = part.name
		}
	}
	return nil
}

// Repeated finds a node that stands twice in lists.
func Repeated(n int, lists ...[]int32) (node int32, ok bool) {
	seen := make([]bool, n)
	for _, v := range slices.Concat(lists...) {
		if seen[v] {
			return v, true
		}
		seen[v] = true
	}
	return 0, false
}

// Note adds a sentence about what was dropped, filled or odd.
func Note(d *dataset.Dataset, format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}
