// Package sample trains on parts of a graph: the nodes of a batch with neighbours drawn around them, once and before
// training, so that an epoch is a pass over the same parts; or clusters, which every epoch deals to parts anew. What a
// node is in several parts of may be tied together, which makes the descents of all parts one energy.
package sample

// Options say how parts are drawn and tied: config.Sample, which describes them.
type Options struct {
	Batch      int     // training nodes of a part
	Accumulate int     // parts of a step of the optimiser
	Clusters   int     // that every epoch deals to parts anew; 0 draws neighbours around nodes
	Fanout     int     // neighbours of a node that come into a part with it
	Hops       int     // how many times neighbours of neighbours come in
	Gamma      float64 // of γ/2 ‖h_v − μ_v‖², which ties a node to its mean over parts; 0 for none
	Forget     float64 // ρ: when a part has descended, μ ← ρ μ + (1 − ρ) h
}
