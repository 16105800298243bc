package path

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bloomgml/bloom/graph"
)

// Parts says which parts of a graph a model is trained on. Many small graphs that differ in size, density and relations
// teach what holds on any graph, and a batch of a small graph is cheap.
type Parts struct {
	Count    int     // parts of every graph
	Entities int     // of the largest; the smallest has an eighth
	Thin     float64 // the largest share of its relations, and of its facts, that a part leaves out
	Seed     uint64
}

const (
	fanout     = 20  // neighbours through which a part grows from an entity
	leastFacts = 50  // of a part
	drawings   = 100 // of a part before Draw gives up
)

// Draw returns parts of g: the facts among entities around a random one, without a random share of the relations and a
// random share of the facts, both up to Thin. Entities and relations of a part have new
// numbers.
func (p Parts) Draw(g *graph.Graph) ([]*graph.Graph, error) {
	d := newDrawing(g, p.Seed)
	var list []*graph.Graph
	for tries := 0; len(list) < p.Count; tries++ {
		if tries == drawings*p.Count {
			return nil, fmt.Errorf("path: no parts of %d facts were found in a graph of %d entities and %d facts",
				leastFacts, g.NumNodes(), g.NumEdges())
		}
		size := float64(p.Entities) * math.Pow(8, -d.rng.Float64())
		d.grow(int(size))
		part, err := d.induced(p.Thin*d.rng.Float64(), p.Thin*d.rng.Float64())
		if err != nil {
			return nil, err
		}
		if part.NumEdges() >= leastFacts {
			list = append(list, part)
		}
	}
	return list, nil
}

// drawing is a graph while parts of it are drawn.
type drawing struct {
	g                *graph.Graph
	rng              *rand.Rand
	out, in          graph.Pattern
	entity, relation []int32 // new numbers plus one; 0 for what is left out
	entities         []int32 // in the order of their new numbers
}

func newDrawing(g *graph.Graph, seed uint64) *drawing {
	return &drawing{g: g, rng: rand.New(rand.NewPCG(seed, uint64(g.NumEdges()))), out: g.Out(), in: g.In(),
		entity: make([]int32, g.NumNodes()), relation: make([]int32, g.NumRelations())}
}

// grow chooses at most size entities around a random one, through random neighbours.
func (d *drawing) grow(size int) {
	clear(d.entity)
	d.entities = d.entities[:0]
	d.add(int32(d.rng.IntN(d.g.NumNodes())), size)
	for i := 0; i < len(d.entities) && len(d.entities) < size; i++ {
		v := d.entities[i]
		after, _ := d.out.Row(int(v))
		before, _ := d.in.Row(int(v))
		for range min(fanout, len(after)+len(before)) {
			if k := d.rng.IntN(len(after) + len(before)); k < len(after) {
				d.add(after[k], size)
			} else {
				d.add(before[k-len(after)], size)
			}
		}
	}
}

// add takes an entity in, once.
func (d *drawing) add(v int32, size int) {
	if d.entity[v] == 0 && len(d.entities) < size {
		d.entities = append(d.entities, v)
		d.entity[v] = int32(len(d.entities))
	}
}

// induced returns the facts among the entities without the given shares of relations and facts.
func (d *drawing) induced(relations, facts float64) (*graph.Graph, error) {
	const left = -1
	for r := range d.relation {
		d.relation[r] = 0
		if d.rng.Float64() < relations {
			d.relation[r] = left
		}
	}
	number := int32(0)
	var list []graph.Triple
	for _, v := range d.entities {
		after, edges := d.out.Row(int(v))
		for k, e := range edges {
			t := d.g.Edge(e)
			if d.entity[after[k]] == 0 || d.relation[t.R] == left || d.rng.Float64() < facts {
				continue
			}
			if d.relation[t.R] == 0 {
				number++
				d.relation[t.R] = number
			}
			list = append(list, graph.Triple{U: d.entity[t.U] - 1, R: d.relation[t.R] - 1, V: d.entity[t.V] - 1})
		}
	}
	return graph.Build(graph.Spec{Nodes: len(d.entities), Relations: int(number), Triples: list})
}
