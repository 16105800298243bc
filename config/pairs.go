package config

// Pairs holds the settings for holding out, drawing and scoring links between nodes.
type Pairs struct {
	Valid     float64 `key:"valid" range:"[0,1)" doc:"share of the edges that choose the epoch; drawn by the seed"`
	Test      float64 `key:"test" range:"[0,1)" doc:"share of the edges that test; drawn by the seed"`
	Batches   int     `key:"batches" range:"[2,∞)" doc:"parts that training edges are drawn into in every epoch: the model predicts the edges of a part by messages along the others"`
	Negatives int     `key:"negatives" range:"[1,∞)" doc:"pairs that are not joined beside every edge of a batch"`
	Hard      float64 `key:"hard" range:"[0,1]" doc:"share of these that have a common neighbour; others are drawn uniformly"`
	Common    bool    `key:"common" doc:"score pairs by the neighbours that they have in common, too"`
	Alike     bool    `key:"alike" doc:"score pairs by how alike their features and those of their neighbours are, and by their degrees, too"`
}
