// Package sample trains on parts of a graph: the nodes of a batch with neighbours drawn around them, once and before
// training, so that an epoch is a pass over the same parts; or clusters, which every epoch deals to parts anew. What a
// node is in several parts of may be tied together, which makes the descents of all parts one energy.
package sample

// Options say how parts are drawn and tied.
type Options struct {
	Batch      int     `key:"batch" for:"nodes" range:"[0,∞)" doc:"training nodes of a part of the graph, which is one step of the optimiser unless train.sample.accumulate takes several; 0 trains on the whole graph"`
	Accumulate int     `key:"accumulate" for:"nodes" range:"[1,∞)" doc:"parts whose derivatives, averaged over their training nodes, make one step of the optimiser; where an epoch has no more it is one step, as on the whole graph"`
	Clusters   int     `key:"clusters" for:"nodes" range:"[0,∞)" doc:"the graph is divided into so many clusters that keep edges inside, and every epoch deals them to parts anew, as many to each as have train.sample.batch training nodes; 0 draws neighbours around these"`
	Fanout     int     `key:"fanout" for:"nodes" range:"[1,∞)" doc:"neighbours of a node that come into a part with it, drawn where it has more"`
	Hops       int     `key:"hops" for:"nodes" range:"[0,64]" doc:"how many times neighbours of neighbours come in"`
	Gamma      float64 `key:"gamma" for:"nodes" range:"[0,∞)" doc:"γ/2 ‖h_v − μ_v‖² joins the energy of every part, μ_v being the mean of what v is in all parts; 0 lets parts descend each for itself"`
	Forget     float64 `key:"forget" for:"nodes" range:"[0,1)" doc:"ρ: when a part has descended, μ ← ρ μ + (1 − ρ) h"`
}

// Asked reports whether somebody asked for parts.
func (o Options) Asked() bool { return o.Batch > 0 || o.Clusters > 0 }
