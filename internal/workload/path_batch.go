package workload

import (
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// pathBatch is the graph of the path model and the part that changes: which queries are asked.
type pathBatch struct {
	*KG
	facts  triples      // with the inverse of every fact behind all facts
	count  []int        // edges to every node, ascending: nodes are numbered by it
	edges  *mat.Triples // target, source, relation
	query  *mat.BatchIndex
	start  *mat.BatchIndex // row of the head, among rows per node and query
	answer *mat.BatchIndex // rows of the tail and of random nodes

	asked, starts, answers []int32 // what is drawn before it goes there
}

func newPathBatch(k *KG) *pathBatch {
	p := &pathBatch{KG: k, facts: withInverses(newTriples(k), k.Relations)}
	p.count = p.facts.renumber(k.Nodes)
	edges, err := mat.NewTriples([3]int{k.Nodes, k.Nodes, 2 * k.Relations},
		[3][]int32{p.facts.tail, p.facts.head, p.facts.relation})
	must(err)
	b, rows := k.queries(), k.Nodes*k.queries()
	p.edges = edges
	p.query, p.start = mat.NewBatchIndex(b, 2*k.Relations), mat.NewBatchIndex(b, rows)
	p.answer = mat.NewBatchIndex(b*(1+k.Negatives), rows)
	p.asked, p.starts, p.answers = make([]int32, b), make([]int32, b), make([]int32, b*(1+k.Negatives))
	return p
}

// withInverses is every fact and, behind all of them, its inverse with a relation of its own.
func withInverses(t triples, relations int) triples {
	inverse := make([]int32, len(t.relation))
	for i, r := range t.relation {
		inverse[i] = r + int32(relations)
	}
	return triples{
		head:     append(append([]int32(nil), t.head...), t.tail...),
		relation: append(append([]int32(nil), t.relation...), inverse...),
		tail:     append(append([]int32(nil), t.tail...), t.head...),
	}
}

// renumber gives the nodes new numbers by how many edges come to them, and returns how many.
func (t triples) renumber(nodes int) []int {
	count, order, number := make([]int, nodes), make([]int, nodes), make([]int32, nodes)
	for _, v := range t.tail {
		count[v]++
	}
	for v := range order {
		order[v] = v
	}
	slices.SortStableFunc(order, func(u, v int) int { return count[u] - count[v] })
	for i, v := range order {
		number[v] = int32(i)
	}
	for e := range t.head {
		t.head[e], t.tail[e] = number[t.head[e]], number[t.tail[e]]
	}
	slices.Sort(count)
	return count
}

// draw is a drawer.
func (p *pathBatch) draw(seed uint64, part int) {
	facts, corrupt, wide := mat.Mix(seed, 0), mat.Mix(seed, 1), 1+p.Negatives
	b := p.KG.queries()
	for i := range b {
		f := below(facts, uint64(part*b+i), len(p.facts.head))
		p.asked[i] = p.facts.relation[f]
		p.starts[i] = p.row(p.facts.head[f], i)
		for c := range wide {
			v := p.facts.tail[f]
			if c > 0 {
				v = below(corrupt, uint64((part*b+i)*wide+c), p.Nodes)
			}
			p.answers[i*wide+c] = p.row(v, i)
		}
	}
	must(p.query.Update(p.asked))
	must(p.start.Update(p.starts))
	must(p.answer.Update(p.answers))
}

// row is the row of node v and query i.
func (p *pathBatch) row(v int32, i int) int32 { return v*int32(p.KG.queries()) + int32(i) }
