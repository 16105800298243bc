package build

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec"
)

// Classes gives node v the class class[v], −1 for none. Classes without a name are called by their numbers.
func (b *Builder) Classes(class []int32, names []string) {
	for _, c := range class {
		for int(c) >= len(names) {
			names = append(names, strconv.Itoa(len(names)))
		}
	}
	b.Labels, b.Metric = dataset.Labels{Class: class, Names: names}, "accuracy"
}

// ClassArray is Classes for a vector of numbers.
//
// Chosen: a class is below the number of its nodes, so an absurd number cannot request memory.
func (b *Builder) ClassArray(a *codec.Array) error {
	wide, err := a.Ints()
	if err != nil {
		return err
	}
	if !a.Is(-1) {
		return a.Errorf(0, "labels of shape %v are not a vector", a.Shape)
	}
	class := make([]int32, len(wide))
	for v, c := range wide {
		if c < -1 || c >= int64(len(wide)) {
			return a.Errorf(v, "node %d has class %d; classes go from 0 to the number of nodes, −1 is none", v, c)
		}
		class[v] = int32(c)
	}
	b.Classes(class, nil)
	return nil
}

// ClassTexts is Classes for texts, one per node and empty for none, named by ClassName: numbers by size before words by
// spelling.
func (b *Builder) ClassTexts(texts []string) {
	names := make([]string, len(texts))
	for v, text := range texts {
		names[v] = ClassName(text)
	}
	labels := Labels(names, numbersFirst)
	b.Classes(labels.Class, labels.Names)
}

// Labels numbers the distinct texts, one per node and empty for none, in the order that order sorts them into.
func Labels(texts []string, order func(names []string)) dataset.Labels {
	number := map[string]int32{}
	l := dataset.Labels{Class: make([]int32, len(texts)), Names: []string{}}
	for _, text := range texts {
		if _, seen := number[text]; !seen && text != "" {
			number[text] = 0
			l.Names = append(l.Names, text)
		}
	}
	order(l.Names)
	for c, name := range l.Names {
		number[name] = int32(c)
	}
	number[""] = -1
	for v, text := range texts {
		l.Class[v] = number[text]
	}
	return l
}

// numbersFirst sorts numbers by size before words by spelling.
func numbersFirst(names []string) {
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
}

// ClassName returns the name of a class: 0 and 0.0 are the same. Beyond 2⁵³ different numbers could become equal, so
// they count as words.
func ClassName(s string) string {
	if x, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(x) < 1<<53 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return s
}

// Numbers returns the names "0" to "n−1".
func Numbers(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}
