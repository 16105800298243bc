// Package sample trains on parts of a graph: mini-batches of nodes with neighbours drawn around them once before
// training, so an epoch is a pass over the same parts; or clusters, which every epoch deals to parts again. The states
// of a node in several parts may be tied together, which makes the descents of all parts one energy.
package sample

// Options say how parts are drawn and tied: config.Sample, which describes them.
type Options struct {
	Batch      int     // training nodes per part
	Accumulate int     // parts per step of the optimiser
	Clusters   int     // number of clusters, dealt to parts again in every epoch; 0 draws neighbours around nodes
	Fanout     int     // neighbours drawn per node
	Hops       int     // number of rounds of drawing neighbours
	Gamma      float64 // of γ/2 ‖h_v − μ_v‖², which ties a node to its mean over parts; 0 for none
	Forget     float64 // ρ: when a part has descended, μ ← ρ μ + (1 − ρ) h
}
