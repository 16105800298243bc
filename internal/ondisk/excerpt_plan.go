package ondisk

import (
	"github.com/bloomgml/bloom/internal/files"
)

// Overview: of the memory besides the program and a block, half is for the observed part, its data and an evaluation; a
// quarter for the part being trained on, an eighth for parts that are kept in memory, and an eighth for a part of the
// jury. Before training begins drawing may use all of it. With clusters no part is kept in memory; they are assembled
// in that eighth.

// program is the memory that a process takes whatever it trains.
const program = 160 << 20

// room returns the memory that remains for parts.
func (g *Excerpt) room() int64 {
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

// looked returns about how many bytes a node of the observed part takes: its data, mapped and on the device, and the
// states of an evaluation.
func (g *Excerpt) looked() int64 {
	return 12*int64(g.Columns) + 48*int64(g.Width) + 100*g.degree() + 40*int64(len(g.Classes)) + 256
}

// trained returns about how many bytes a node of a part takes during training.
func (g *Excerpt) trained() int64 {
	return 12*int64(g.Columns) + 4*int64(g.Width)*int64(12+3*g.Steps) + 100*g.degree()
}

// around returns about how many nodes come into a part with a training node.
func (g *Excerpt) around() int64 {
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

// least returns how many nodes the smallest part has, and what that part is.
func (g *Excerpt) least() (nodes int64, what string) {
	if g.Clusters > 0 {
		return max(g.around(), int64(g.Nodes/g.Clusters)), "a cluster"
	}
	return g.around(), "a node with the neighbours drawn around it"
}

// Fit chooses the batch size if the options say 0: the largest for which a part takes a quarter of the room, at most
// 1,024. The error says how much memory is needed.
func (g *Excerpt) Fit() error {
	if g.Clusters > g.Nodes {
		return files.Errorf(g.Dir(), "train.sample.clusters is %d, and there are %d nodes", g.Clusters, g.Nodes)
	}
	if g.Batch > 0 {
		return nil
	}
	most := g.room() / 4 / g.trained()
	if need, what := g.least(); most < need {
		return files.Errorf(g.Dir(), "%s takes %s of memory, and %s is allowed for that (--memory %s allows more)",
			what, files.BytesText(need*g.trained()), files.BytesText(max(0, g.room()/4)),
			files.BytesText(g.Memory-g.room()+8*need*g.trained()))
	}
	g.Batch = int(min(1024, most/g.around()))
	return nil
}
