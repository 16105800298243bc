package keys

import (
	"slices"
	"strings"
)

// Name returns the name with the fewest edits from what was typed, if they are at most a third of its letters (two
// edits are always allowed), or else the first name that begins with it; empty if no name is near.
func Name(typed string, names []string) string {
	best, edits := "", 0
	for _, name := range names {
		n := distance(strings.ToLower(typed), name)
		if n <= max(2, len(name)/3) && n < len(name) && (best == "" || n < edits) {
			best, edits = name, n
		}
	}
	for _, name := range names {
		if best == "" && typed != "" && strings.HasPrefix(name, strings.ToLower(typed)) {
			best = name
		}
	}
	return best
}

// Names returns at most most names that were probably meant, nearest first: those with at most a third of their letters
// to change (two are always allowed), ignoring case, and after them those that contain what was typed.
func Names(typed string, names []string, most int) []string {
	type near struct {
		name  string
		edits int
	}
	var list []near
	typed = strings.ToLower(typed)
	for _, name := range names {
		small := strings.ToLower(name)
		n := distance(typed, small)
		switch {
		case n <= max(2, len(name)/3) && n < len(name):
			list = append(list, near{name, n})
		case typed != "" && strings.Contains(small, typed):
			list = append(list, near{name, len(typed) + n})
		}
	}
	slices.SortStableFunc(list, func(a, b near) int { return a.edits - b.edits })
	var found []string
	for _, x := range list[:min(most, len(list))] {
		found = append(found, x.name)
	}
	return found
}

// distance returns the number of letters to insert, delete, replace or swap with their neighbour to get from a to b
// (optimal string alignment).
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
