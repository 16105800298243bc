package config

// Facts holds the settings for learning facts of a knowledge graph. A question is a fact without one of its ends.
type Facts struct {
	Protocol string `key:"protocol" oneof:"full grail_50" doc:"evaluation: answers are ranked among all entities not known to be correct (full, filtered), or among 49 of them drawn at random (grail_50)"`
	Filter   string `key:"filter" oneof:"auto all" doc:"known facts that never count as mistakes: all, or auto (for a graph with a twin only those of the graph that is asked about, as in published figures)"`
	Batch    int    `key:"batch" for:"embeddings bilevel paths zero" range:"[1,∞)" doc:"facts per mini-batch, or queries for embeddings with link.against everything"`

	Distance    string  `key:"distance" for:"embeddings bilevel" oneof:"squared l2" doc:"distance of transe and rotate: squared or l2"`
	Against     string  `key:"against" for:"embeddings bilevel paths" oneof:"drawn everything" doc:"negatives: drawn (random false answers) or everything (softmax over all entities; for path, needs link.keep)"`
	Loss        string  `key:"loss" for:"embeddings bilevel" oneof:"bce softmax self-adversarial" doc:"loss with drawn negatives: bce, softmax or self-adversarial (bce, with a fact weighing as much as its negatives together)"`
	Adversarial float64 `key:"adversarial" for:"embeddings bilevel" range:"[0,∞)" doc:"for loss self-adversarial: negatives weigh softmax(adversarial × score); 0 = equally"`
	Negatives   int     `key:"negatives" for:"embeddings bilevel paths zero" range:"[1,∞)" doc:"negatives per query"`
	Shared      int     `key:"shared" for:"embeddings bilevel" range:"[0,∞)" doc:"negatives shared by all queries of a mini-batch, instead of link.negatives; 0 = none"`
	Penalty     float64 `key:"penalty" for:"embeddings bilevel" range:"[0,∞)" doc:"weight of the regularisation of the embeddings in a mini-batch"`
	Cubic       bool    `key:"cubic" for:"embeddings bilevel" doc:"regularise by the sum of cubes (N3) instead of squares"`
	Start       float64 `key:"start" for:"embeddings bilevel" range:"(0,∞)" doc:"standard deviation of the initial embeddings"`
	Sample      int     `key:"sample" for:"embeddings bilevel paths zero" range:"[0,∞)" doc:"validation facts ranked at each evaluation; 0 = all"`

	Upper  string `key:"upper" for:"bilevel" oneof:"energy batches" doc:"what relations are trained on: the energy itself, or link.loss on mini-batches of facts"`
	Block  int    `key:"block" for:"bilevel" range:"[0,∞)" doc:"entities that descend at a time, all others fixed; 0 = all at once. With blocks the energy is link.loss"`
	Beside int    `key:"beside" for:"bilevel" range:"[1,∞)" doc:"negative triples per fact in the energy; with blocks, the negatives shared by the queries of a block"`
	Redraw int    `key:"redraw" for:"bilevel" range:"[1,∞)" doc:"epochs after which these negatives are drawn again"`

	Message     string  `key:"message" for:"paths" oneof:"distmult transe rotate" doc:"message along an edge: h∘e (distmult), h + e (transe) or h rotated by e (rotate)"`
	Aggregate   string  `key:"aggregate" for:"paths" oneof:"sum pna pna-fused" doc:"aggregation: sum, pna (mean, maximum, minimum and deviation, scaled by degree) or pna-fused (with the second moment of NBFNet's fused kernel)"`
	Relations   string  `key:"relations" for:"paths" oneof:"conditioned free" doc:"relation vectors: conditioned (a function of the query) or free (the same for all queries)"`
	Removal     string  `key:"removal" for:"paths zero" oneof:"triple pair" doc:"edges removed while a mini-batch is trained: triple (its facts) or pair (all edges between a query entity and its answer)"`
	Layers      string  `key:"layers" for:"paths" oneof:"shared own" doc:"weights of the steps: shared by all, or each its own"`
	Keep        int     `key:"keep" for:"paths" range:"[0,∞)" doc:"number of entities that a query sees, the nearest by personalised PageRank; 0 = all"`
	Send        int     `key:"send" for:"paths" range:"[0,∞)" doc:"of the entities of link.keep, how many send messages, the nearest without the facts that are asked for; the others only receive, those most like known answers; 0 = all, by the distance from the query entity alone"`
	Temperature float64 `key:"temperature" for:"paths zero" range:"(0,∞)" doc:"negatives have weights softmax(score/temperature)"`

	Also     string  `key:"also" for:"zero" doc:"data sets to train on besides --data, separated by semicolons"`
	Parts    int     `key:"parts" for:"zero" range:"[0,∞)" doc:"train on this many parts of each data set, which differ in size, density and relations; 0 = on the whole"`
	Entities int     `key:"entities" for:"zero" range:"[1,∞)" doc:"entities of the largest part; the smallest has an eighth"`
	Thin     float64 `key:"thin" for:"zero" range:"[0,1)" doc:"largest share of its relations, and of its facts, that a part leaves out"`

	Step  float64 `key:"step" for:"refactor" range:"(0,∞)" doc:"step length of the states"`
	Decay float64 `key:"decay" for:"refactor" range:"(0,∞)" doc:"decay of the states per step"`
	Noise float64 `key:"noise" for:"refactor" range:"(0,∞)" doc:"standard deviation of the noise of the initial states"`
	Reset int     `key:"reset" for:"refactor" range:"[1,∞)" doc:"epochs after which states start again from scratch"`
}
