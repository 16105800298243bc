package keys

import (
	"fmt"
	"slices"
	"strings"
)

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
