package keys

import (
	"fmt"
	"slices"
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

// ParsePairs reads key=value,key=value with known keys, each at most once. An empty text has no pairs.
func ParsePairs(spec string, known []string) (map[string]string, error) {
	pairs := map[string]string{}
	if spec == "" {
		return pairs, nil
	}
	for pair := range strings.SplitSeq(spec, ",") {
		key, value, found := strings.Cut(pair, "=")
		if !found {
			return nil, fmt.Errorf("%q is not key=value", pair)
		}
		if !slices.Contains(known, key) {
			return nil, NewUnknown("key", key, known)
		}
		if _, twice := pairs[key]; twice {
			return nil, fmt.Errorf("the key %q is given twice", key)
		}
		pairs[key] = value
	}
	return pairs, nil
}
