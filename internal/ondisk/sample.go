package ondisk

// SampleOptions say how parts are drawn and tied: config.Sample, which describes them.
type SampleOptions struct {
	Batch      int     // training nodes per part
	Accumulate int     // parts per step of the optimiser
	Clusters   int     // number of clusters, dealt to parts again in every epoch; 0 draws neighbours around nodes
	Fanout     int     // neighbours drawn per node
	Hops       int     // number of rounds of drawing neighbours
	Gamma      float64 // of γ/2 ‖h_v − μ_v‖², which ties a node to its mean over parts; 0 for none
	Forget     float64 // ρ: when a part has descended, μ ← ρ μ + (1 − ρ) h
}
