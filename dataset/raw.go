package dataset

import (
	"math"
	"slices"
	"strconv"
	"unsafe"
)

// Raw has a user's original tables, so an export gives back every value. Benchmark files have none.
type Raw struct {
	Nodes [][]RawColumn // one list per node type: all columns but the id, rows in the order of Graph.NodesOfType
	Edges []RawColumn   // except ends, relation and weight; rows are the edges of Graph, then Valid, then Test
	Rows  *EdgeRows     // what columns of nodes were made from; nil if none were
}

// EdgeRows are the rows of tables of edges, repeats included.
type EdgeRows struct {
	Src, Dst, Rel []int32 // the nodes and the relation of every row; Rel is nil if there is one relation
	Columns       []NumberColumn
}

// NumberColumn is a column of numbers, or of times in days since 1970; a missing value is NaN.
type NumberColumn struct {
	Name   string
	Values []float64
}

// Column returns the values of a column, nil if there is no such column.
func (r *EdgeRows) Column(name string) []float64 {
	for _, c := range r.Columns {
		if c.Name == name {
			return c.Values
		}
	}
	return nil
}

// Relation returns the relation of row i.
func (r *EdgeRows) Relation(i int) int32 {
	if r.Rel == nil {
		return 0
	}
	return r.Rel[i]
}

// with returns r with the rows of more, which has the same columns, behind its own.
func (r *EdgeRows) with(more *EdgeRows) *EdgeRows {
	if r == nil || more == nil {
		return r
	}
	out := &EdgeRows{Src: slices.Concat(r.Src, more.Src), Dst: slices.Concat(r.Dst, more.Dst)}
	if r.Rel != nil {
		out.Rel = slices.Concat(r.Rel, more.Rel)
	}
	for _, c := range r.Columns {
		out.Columns = append(out.Columns, NumberColumn{c.Name, slices.Concat(c.Values, more.Column(c.Name))})
	}
	return out
}

// RawColumn is a column of texts; a missing value is empty.
type RawColumn struct {
	Name   string
	Values Texts
}

// Texts are strings end to end; text i is Bytes[Ends[i−1]:Ends[i]]. Columns that bloom makes are Numbers instead, whose
// texts are as short as they can be; a NaN is an empty text.
type Texts struct {
	Ends    []int64
	Bytes   []byte
	Numbers []float32
}

// Len returns the number of texts.
func (t *Texts) Len() int { return len(t.Ends) + len(t.Numbers) }

// Append adds a text.
func (t *Texts) Append(text []byte) {
	if t.Numbers != nil {
		x, err := strconv.ParseFloat(string(text), 32)
		if err != nil {
			x = math.NaN()
		}
		t.Numbers = append(t.Numbers, float32(x))
		return
	}
	t.Bytes = append(t.Bytes, text...)
	t.Ends = append(t.Ends, int64(len(t.Bytes)))
}

// Get returns text i, as a slice of Bytes that is valid as long as they are.
func (t *Texts) Get(i int) []byte {
	if t.Numbers != nil {
		if x := float64(t.Numbers[i]); x == x {
			return strconv.AppendFloat(nil, x, 'g', -1, 32)
		}
		return nil
	}
	start := int64(0)
	if i > 0 {
		start = t.Ends[i-1]
	}
	return t.Bytes[start:t.Ends[i]]
}

// Number returns one of Numbers as its text is read, NaN for an empty one.
func (t *Texts) Number(i int) float64 {
	x := t.Numbers[i]
	if y := float64(x); y != y || math.Abs(y) < 1<<24 && y == math.Trunc(y) {
		return y
	}
	y, _ := strconv.ParseFloat(string(t.Get(i)), 64) // it is a number
	return y
}

// Text returns Get as a string that shares its bytes, which are never written again.
func (t *Texts) Text(i int) string {
	b := t.Get(i)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Pick returns the texts of some rows.
func (t *Texts) Pick(rows []int32) (out Texts) {
	if t.Numbers != nil {
		out.Numbers = pick(t.Numbers, rows)
		return out
	}
	out.Ends = make([]int64, 0, len(rows))
	for _, i := range rows {
		out.Append(t.Get(int(i)))
	}
	return out
}

// With returns r with the given number of edges, and a row of nodes for every row of features, added. The texts come
// from more, which may be nil; columns that it lacks are empty.
func (r *Raw) With(more *Raw, nodes []Matrix, edges int) *Raw {
	if more == nil {
		more = new(Raw)
	}
	out := &Raw{Edges: below(r.Edges, more.Edges, edges), Rows: r.Rows.with(more.Rows)}
	for t, columns := range r.Nodes {
		var rows []RawColumn
		if t < len(more.Nodes) {
			rows = more.Nodes[t]
		}
		out.Nodes = append(out.Nodes, below(columns, rows, nodes[t].Rows))
	}
	return out
}

// withRows returns r with texts replaced in some rows of some columns.
func (r *Raw) withRows(old []OldRows) *Raw {
	out := &Raw{Edges: r.Edges, Rows: r.Rows, Nodes: slices.Clone(r.Nodes)}
	for t := range min(len(old), len(r.Nodes)) {
		out.Nodes[t] = slices.Clone(r.Nodes[t])
		for k := range out.Nodes[t] {
			old[t].replace(&out.Nodes[t][k])
		}
	}
	return out
}

// replace replaces texts of a column, if it is one that changes.
func (o *OldRows) replace(c *RawColumn) {
	j := slices.IndexFunc(o.Raw, func(x RawColumn) bool { return x.Name == c.Name })
	if j < 0 {
		return
	}
	at, t := o.at(), c.Values.Pick(nil)
	for v := range c.Values.Len() {
		if i, other := at[int32(v)]; other {
			t.Append(o.Raw[j].Values.Get(i))
		} else {
			t.Append(c.Values.Get(v))
		}
	}
	c.Values = t
}

// below returns columns with n more rows, each from the column of more that has its name.
func below(columns, more []RawColumn, n int) []RawColumn {
	list := make([]RawColumn, len(columns))
	for i, c := range columns {
		at := slices.IndexFunc(more, func(x RawColumn) bool { return x.Name == c.Name })
		t := Texts{slices.Clone(c.Values.Ends), slices.Clone(c.Values.Bytes), slices.Clone(c.Values.Numbers)}
		for row := range n {
			if at < 0 {
				t.Append(nil)
				continue
			}
			t.Append(more[at].Values.Get(row))
		}
		list[i] = RawColumn{c.Name, t}
	}
	return list
}
