package config

// Pairs holds the settings for holding out, drawing and scoring links between nodes.
type Pairs struct {
	Valid     float64 `key:"valid" range:"[0,1)" doc:"share of the edges held out for validation; drawn by the seed"`
	Test      float64 `key:"test" range:"[0,1)" doc:"share of the edges held out for testing; drawn by the seed"`
	Batches   int     `key:"batches" range:"[2,∞)" doc:"mini-batches per epoch; the edges of one are predicted from messages along all others"`
	Negatives int     `key:"negatives" range:"[1,∞)" doc:"negatives (pairs that are not joined) per edge of a mini-batch"`
	Hard      float64 `key:"hard" range:"[0,1]" doc:"share of the negatives that have a common neighbour; the others are drawn uniformly"`
	Common    bool    `key:"common" doc:"also use the number of common neighbours of a pair"`
	Alike     bool    `key:"alike" doc:"also use their degrees and the similarity of their features and of their neighbours' features"`
}
