package pair

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// Add returns t with newcomers as if they had been there: the same weights on the graph with them, where messages go
// along all of their edges. Edges that were held out stay so, and nothing is trained. The error is a *train.BadData
// where the model cannot say anything about nodes it has not seen.
func (t *Trained) Add(n *dataset.Newcomers) (*Trained, error) {
	bad := func(format string, args ...any) error {
		return &train.BadData{Data: t.Data.Name, Text: fmt.Sprintf(format, args...)}
	}
	switch c := t.Config.Data; {
	case t.Data.Graph.NumTypes() > 1:
		return nil, bad("nodes have several types, and adding to those is not supported")
	case !featured(t.Data):
		return nil, bad("nodes have no features, so nothing is known about new ones")
	case len(n.Features) != 1 || n.Features[0].Cols != t.Data.Features[0].Cols:
		return nil, bad("new nodes have other features than the %d of old ones", t.Data.Features[0].Cols)
	case c.Corrupt != "":
		return nil, bad("rows were corrupted for this run, and new nodes would change which ones: a run with " +
			"data.corrupt takes no new nodes")
	}
	whole, err := n.Join(t.Data)
	if err != nil {
		return nil, bad("%v", err)
	}
	c := t.Config
	if c.Train.Repeat = 1; c.Data.ScaleRows == 0 {
		c.Data.ScaleRows = t.Data.Graph.NumNodes()
	}
	j, err := assemble(c, whole, t.job.trial)
	if err != nil {
		return nil, err
	}
	from := append(t.job.Params(), t.job.State()...)
	for i, p := range append(j.Params(), j.State()...) {
		mat.Copy(p.Value(), from[i].Value())
	}
	return j.trained(t.Dir), j.evaluate()
}
