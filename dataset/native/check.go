package native

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
)

// flaw says what is wrong with a data set, and in which array.
type flaw struct {
	kind sectionKind
	item uint32
	text string
}

func flawAt(kind sectionKind, item uint32, format string, args ...any) *flaw {
	return &flaw{kind, item, fmt.Sprintf(format, args...)}
}

// Bounds on counts that are not backed by an array of the file.
const (
	maxRelations = 1 << 20 // or twice the names there are
	maxTypes     = 1 << 16 // or the number of names
)

// check returns the first array of d that does not fit the others: Write does not write such a set, and a reader
// rejects it. The graph was checked when it was built.
func check(d *dataset.Dataset) *flaw {
	n := d.Graph.NumNodes()
	if r := d.Graph.NumRelations(); r > max(maxRelations, 2*len(d.Relations)) {
		return flawAt(sectionMeta, 0, "%d relations with %d names", r, len(d.Relations))
	}
	if t := d.Graph.NumTypes(); t > max(maxTypes, len(d.Types)) {
		return flawAt(sectionMeta, 0, "%d node types with %d names", t, len(d.Types))
	}
	if d.Of != 0 && d.Of < n {
		return flawAt(sectionMeta, 0, "%d nodes of %d", n, d.Of)
	}
	for _, f := range []func(*dataset.Dataset, int) *flaw{checkNames, checkIDs, checkFeatures, checkClasses,
		checkSplits, checkTriples, checkRaw} {
		if wrong := f(d, n); wrong != nil {
			return wrong
		}
	}
	return nil
}

// checkNames checks that JSON preserves the names.
func checkNames(d *dataset.Dataset, _ int) *flaw {
	one := []string{d.Name, d.Metric, d.Settled.Energy}
	for _, list := range [][]string{one, d.Types, d.Relations, d.Labels.Names, d.Notes} {
		for _, name := range list {
			if !utf8.ValidString(name) {
				return flawAt(sectionMeta, 0, "the name %q is not UTF-8", name)
			}
		}
	}
	return nil
}

func checkIDs(d *dataset.Dataset, n int) *flaw {
	if d.IDs.Ends == nil {
		return nil
	}
	if len(d.IDs.Ends) != n {
		return flawAt(sectionIDEnds, 0, "%d ids for %d nodes", len(d.IDs.Ends), n)
	}
	return checkEnds(sectionIDEnds, 0, "id", d.IDs.Ends, d.IDs.Bytes)
}

// checkEnds checks the ends of texts, which lie one after the other in bytes.
func checkEnds(kind sectionKind, item uint32, what string, ends []int64, bytes []byte) *flaw {
	before := int64(0)
	for i, end := range ends {
		if end < before || end > int64(len(bytes)) {
			return flawAt(kind, item, "%s %d goes from byte %d to %d of %d", what, i, before, end,
				len(bytes))
		}
		before = end
	}
	return nil
}

// checkFeatures checks that there is a row for every node of a type, or no rows.
func checkFeatures(d *dataset.Dataset, n int) *flaw {
	rows := make([]int, d.Graph.NumTypes())
	for _, t := range d.Graph.NodeTypes() {
		rows[t]++
	}
	if d.Graph.NodeTypes() == nil {
		rows[0] = n
	}
	for t, m := range d.Features {
		if t >= len(rows) || m.Rows != 0 && m.Rows != rows[t] {
			return flawAt(sectionMeta, 0, "%d rows of features for node type %d, not one per "+
				"node", m.Rows, t)
		}
		if wrong := checkMatrix(m); wrong != nil {
			wrong.item = uint32(t)
			return wrong
		}
	}
	return nil
}

// checkMatrix checks that the arrays of a matrix fit one another.
func checkMatrix(m dataset.Matrix) *flaw {
	if m.Rows < 0 || m.Cols < 0 || m.Cols > 0 && m.Rows > (1<<62)/m.Cols {
		return flawAt(sectionMeta, 0, "a matrix of %d×%d", m.Rows, m.Cols)
	}
	if !m.IsSparse() {
		if len(m.Values) != m.Rows*m.Cols || m.Idx != nil {
			return flawAt(sectionFeatureValues, 0, "%d values of a %d×%d matrix", len(m.Values),
				m.Rows, m.Cols)
		}
		return nil
	}
	if len(m.Ptr) != m.Rows+1 || m.Ptr[0] != 0 || m.Ptr[m.Rows] != int64(len(m.Idx)) {
		return flawAt(sectionFeaturePtr, 0, "%d row ends of %d rows with %d nonzeros", len(m.Ptr), m.Rows,
			len(m.Idx))
	}
	if m.Values != nil && len(m.Values) != len(m.Idx) {
		return flawAt(sectionFeatureValues, 0, "%d values for %d nonzeros", len(m.Values), len(m.Idx))
	}
	for i := range m.Rows {
		if m.Ptr[i] > m.Ptr[i+1] {
			return flawAt(sectionFeaturePtr, 0, "row %d goes from %d to %d", i, m.Ptr[i], m.Ptr[i+1])
		}
	}
	return idsBelow(sectionFeatureIdx, 0, m.Idx, 0, m.Cols)
}

func checkClasses(d *dataset.Dataset, n int) *flaw {
	values, task := 0, d.Labels.Task
	switch task {
	case dataset.Sets, dataset.Numbers:
		values = n * len(d.Labels.Names)
	case "":
	default:
		return flawAt(sectionMeta, 0, "the task %q is not known", task)
	}
	if len(d.Labels.Values) != values || task == dataset.Numbers && len(d.Labels.Names) != 1 {
		return flawAt(sectionValues, 0, "%d values of labels for %d nodes and %d names",
			len(d.Labels.Values), n, len(d.Labels.Names))
	}
	for v, x := range d.Labels.Values {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) || task == dataset.Sets && f != 0 && f != 1 {
			return flawAt(sectionValues, 0, "value %d of the labels is %g", v, f)
		}
	}
	if d.Labels.Class == nil {
		return nil
	}
	if len(d.Labels.Class) != n {
		return flawAt(sectionClasses, 0, "%d classes for %d nodes", len(d.Labels.Class), n)
	}
	return idsBelow(sectionClasses, 0, d.Labels.Class, -1, len(d.Labels.Names))
}

func checkSplits(d *dataset.Dataset, n int) *flaw {
	for i, s := range d.Splits {
		for kind, nodes := range map[sectionKind][]int32{sectionTrain: s.Train, sectionValid: s.Valid,
			sectionTest: s.Test} {
			if wrong := idsBelow(kind, uint32(i), nodes, 0, n); wrong != nil {
				return wrong
			}
		}
	}
	if d.Times != nil && len(d.Times) != n {
		return flawAt(sectionTimes, 0, "%d times for %d nodes", len(d.Times), n)
	}
	return idsBelow(sectionCorrupted, 0, d.Corrupted, 0, n)
}

func checkTriples(d *dataset.Dataset, n int) *flaw {
	r := d.Graph.NumRelations()
	for item, parts := range [2][2][]graph.Triple{{d.Valid, d.Test}, d.False} {
		for k, kind := range [2]sectionKind{sectionValidTriples, sectionTestTriples} {
			for i, t := range parts[k] {
				if t.U < 0 || int(t.U) >= n || t.V < 0 || int(t.V) >= n || t.R < 0 || int(t.R) >= r {
					text := fmt.Sprintf("triple %d, %v, is not one of %d nodes and %d relations", i, t, n, r)
					return &flaw{kind, uint32(item), text}
				}
			}
		}
	}
	return nil
}

// idsBelow checks that least ≤ x < limit.
func idsBelow(kind sectionKind, item uint32, x []int32, least int32, limit int) *flaw {
	for i, id := range x {
		if id < least || int(id) >= limit {
			return flawAt(kind, item, "entry %d, %d, is not in %d to %d", i, id, least, limit-1)
		}
	}
	return nil
}
