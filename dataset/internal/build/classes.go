package build

import (
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/npy"
)

// NumberedClasses reads a vector of classes that are numbers, −1 where it is not known. Classes are
// named by their numbers.
//
// Chosen: a class is below the number of its nodes, so that a wild number cannot ask for memory.
func NumberedClasses(a *npy.Array) (dataset.Labels, error) {
	wide, err := a.Ints()
	if err != nil {
		return dataset.Labels{}, err
	}
	if !a.Is(-1) {
		return dataset.Labels{}, a.Errorf(0, "labels of shape %v are not a vector", a.Shape)
	}
	class, count := make([]int32, len(wide)), 0
	for v, c := range wide {
		if c < -1 || c >= int64(len(wide)) {
			return dataset.Labels{}, a.Errorf(v, "node %d has class %d; classes go from 0 to the number of nodes, −1 is none", v, c)
		}
		class[v] = int32(c)
		count = max(count, int(c)+1)
	}
	return dataset.Labels{Class: class, Names: Numbers(count)}, nil
}

// Numbers are the names "0" to "n−1".
func Numbers(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}
