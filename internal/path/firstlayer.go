package path

import "github.com/bloomgml/bloom/mat"

// firstLayer is the first layer of a query. Before it, the state is 0 everywhere except at the head, and if the
// message of a state of 0 is 0, as with DistMult and RotatE, nodes that the head does not send to get nothing. Such
// nodes with the same number of messages (with Sum, any number) have the same state afterwards: it is computed for one
// of them.
type firstLayer struct {
	*rows
	origin  *rows      // the state before, in two rows: the head's, and the state of all others
	back    *mat.Index // row of every node, by number
	standIn []int32    // by class of degrees: the node that stands for others, −1 for none
	places  []int32    // a buffer for back
}

// firstCapacity returns the most rows that a firstLayer needs.
func (v *view) firstCapacity() int {
	most := 0
	for u := range v.nodes {
		most = max(most, len(v.out.edgesOf(int32(u))))
	}
	classes := 1
	if v.sorted {
		classes = v.slots
	}
	return min(v.nodes, 1+most+classes)
}

func newFirstLayer(v *view, list bool) *firstLayer {
	origin := &rows{view: v, room: 2, queries: 1, at: make([]int32, v.nodes), start: mat.NewBatchIndex(1, 2)}
	for i := range origin.at {
		origin.at[i] = 1
	}
	n := &firstLayer{origin: origin, places: make([]int32, v.nodes)}
	n.rows = newRows(v, capacity{v.firstCapacity(), v.edges()}, origin, list)
	n.present = nil
	n.back, n.standIn = mat.NewBatchIndex(v.nodes, n.room), make([]int32, v.slots)
	return n
}

// reachFrom takes the rows of a head, of the nodes that it sends to, and of one node of each class of the others.
func (n *firstLayer) reachFrom(head int32) {
	n.setNodes(nil)
	n.join(head)
	for _, e := range n.out.edgesOf(head) {
		if !n.removed.has(e) {
			n.join(n.target[e])
		}
	}
	n.represent()
	n.place()
	n.origin.at[head] = 0
	must(n.fill(n.origin))
	n.origin.at[head] = 1
	n.setHead(head)
	for i, v := range n.order {
		if !n.in.has(v) {
			v = n.standIn[n.class(v)]
		}
		n.places[i] = n.at[v]
	}
	must(n.back.Update(n.places))
}

// join adds a node that may be there.
func (n *firstLayer) join(v int32) {
	if !n.in.has(v) {
		n.in.add(v)
		n.nodes = append(n.nodes, v)
	}
}

// represent adds the first node of every class that has nodes which are not there.
func (n *firstLayer) represent() {
	for i := range n.standIn {
		n.standIn[i] = -1
	}
	for _, v := range n.order {
		if c := n.class(v); !n.in.has(v) && n.standIn[c] < 0 {
			n.standIn[c] = v
		}
	}
	for _, v := range n.standIn {
		if v >= 0 {
			n.join(v)
		}
	}
}
