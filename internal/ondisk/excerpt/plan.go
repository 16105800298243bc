package excerpt

import (
	"github.com/bloomgml/bloom/internal/files"
)

// Overview: of the memory, beside the program and what a block takes, half is for the part that is looked at, its data
// and an evaluation; a quarter for the part that is trained on, an eighth for those that are kept ready, and an eighth
// for a part of the jury. Before training begins all of it is there for drawing; clusters, of which no part is kept
// ready, are brought together in the eighth of those.

// program is what a process takes whatever it trains, and for each number of the labels of all nodes.
const program = 160 << 20

// room is what is left for parts.
func (g *Graph) room() int64 {
	largest := int64(0)
	for i := range g.Blocks() {
		first, end := g.Rows(i)
		largest = max(largest, 12*int64(g.Entries(i))+int64(end-first)*int64(8*g.Columns+16))
	}
	room := g.Memory - program - largest - 12*int64(len(g.train))
	if g.Clusters > 0 {
		room -= 12 * int64(g.Nodes) // the cluster and the part of every node
	}
	return room
}

// looked is about how many bytes a node of the part takes that is looked at: its data, mapped and on the device, and
// the states of an evaluation.
func (g *Graph) looked() int64 {
	return 12*int64(g.Columns) + 48*int64(g.Width) + 100*g.degree() + 40*int64(len(g.Classes)) + 256
}

// trained is about how many bytes a node of a part takes while it is trained on.
func (g *Graph) trained() int64 {
	return 12*int64(g.Columns) + 4*int64(g.Width)*int64(12+3*g.Steps) + 100*g.degree()
}

// around is about how many nodes come into a part with a training node.
func (g *Graph) around() int64 {
	if g.Clusters > 0 {
		train := max(1, int64(len(g.train)))
		return (int64(g.Nodes) + train - 1) / train
	}
	around, last := int64(1), int64(1)
	for range g.Hops {
		last = min(last*int64(g.Fanout), int64(g.Nodes))
		around = min(around+last, int64(g.Nodes))
	}
	return around
}

// least is how many nodes the smallest part has, and what it is.
func (g *Graph) least() (nodes int64, what string) {
	if g.Clusters > 0 {
		return max(g.around(), int64(g.Nodes/g.Clusters)), "a cluster"
	}
	return g.around(), "a node with the neighbours drawn around it"
}

// Fit chooses how many nodes a batch has, where the options say 0: as many as let a part take a quarter of the room,
// 1,024 at most. The error says how much memory there must be.
func (g *Graph) Fit() error {
	if g.Clusters > g.Nodes {
		return files.Errorf(g.Dir(), "train.sample.clusters is %d, and there are %d nodes", g.Clusters, g.Nodes)
	}
	if g.Batch > 0 {
		return nil
	}
	most := g.room() / 4 / g.trained()
	if need, what := g.least(); most < need {
		return files.Errorf(g.Dir(), "%s takes %s of memory, and there may be %s for that (--memory %s allows more)",
			what, files.BytesText(need*g.trained()), files.BytesText(max(0, g.room()/4)),
			files.BytesText(g.Memory-g.room()+8*need*g.trained()))
	}
	g.Batch = int(min(1024, most/g.around()))
	return nil
}
