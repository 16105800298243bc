package fit

import (
	"math"
	"slices"
)

// TreeNode is a node of a tree. A leaf has column −1.
type TreeNode struct {
	Column      int32
	Cut         float32 // rows with at most this go left
	Left, Right int32   // places in the tree
	Gaps        bool    // rows without a value go left
	// Value is what a leaf adds to the score; of another node, what it would add if it were a leaf.
	Value float32
}

// Tree is a regression tree; node 0 is its root. No node means a tree that adds nothing.
type Tree []TreeNode

// leaf returns the index of the leaf of a row, and calls path for every node on the way.
func (t Tree) leaf(row []float32, path func(from, to int32)) int32 {
	at := int32(0)
	for t[at].Column >= 0 {
		n := &t[at]
		x := row[n.Column]
		next := n.Right
		if x <= n.Cut || x != x && n.Gaps {
			next = n.Left
		}
		if path != nil {
			path(at, next)
		}
		at = next
	}
	return at
}

// Predict returns what the tree adds to the score of a row, NaN standing for a gap.
func (t Tree) Predict(row []float32) float32 {
	if len(t) == 0 {
		return 0
	}
	return t[t.leaf(row, nil)].Value
}

// opposite returns a tree that says −x where t says x.
func (t Tree) opposite() Tree {
	o := slices.Clone(t)
	for i := range o {
		o[i].Value *= -1
	}
	return o
}

// Contributions adds to by[j] what column j does for a row, and returns what the root has for all rows; together they
// are Predict (Saabas: at each split the column gets the difference between the node and its child).
func (t Tree) Contributions(row []float32, by []float64) (root float64) {
	if len(t) == 0 {
		return 0
	}
	t.leaf(row, func(from, to int32) { by[t[from].Column] += float64(t[to].Value) - float64(t[from].Value) })
	return float64(t[0].Value)
}

// NodeWidth is the number of numbers that a node takes in a matrix.
const NodeWidth = 6

// Pack writes the tree into rows of Width numbers, one row per node.
func (t Tree) Pack(rows []float32) {
	for i, n := range t {
		gaps := float32(0)
		if n.Gaps {
			gaps = 1
		}
		copy(rows[NodeWidth*i:], []float32{float32(n.Column) + 2, n.Cut, float32(n.Left), float32(n.Right), gaps,
			n.Value})
	}
}

// Unpack reads a tree, as Pack wrote it, from rows of Width numbers, of which the last may be zero. It reports whether
// they are a valid tree for the given number of columns: children come after their parent, so every walk ends.
func Unpack(rows []float32, columns int) (Tree, bool) {
	var t Tree
	n := len(rows) / NodeWidth
	for i := 0; i < n && rows[NodeWidth*i] != 0; i++ {
		r := rows[NodeWidth*i:]
		for _, x := range []float32{r[0], r[2], r[3]} {
			if !(x >= 0 && x < 1<<24 && x == float32(math.Trunc(float64(x)))) {
				return nil, false
			}
		}
		t = append(t, TreeNode{Column: int32(r[0]) - 2, Cut: r[1], Left: int32(r[2]), Right: int32(r[3]),
			Gaps: r[4] != 0, Value: r[5]})
	}
	for i, n := range t {
		if n.Column < -1 || int(n.Column) >= columns || n.Value != n.Value {
			return nil, false
		}
		if n.Column >= 0 && (int(n.Left) <= i || int(n.Right) <= i || int(n.Left) >= len(t) || int(n.Right) >= len(t)) {
			return nil, false
		}
	}
	return t, true
}
