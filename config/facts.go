package config

// Facts holds the settings for learning facts of a knowledge graph. A question is a fact without one of its ends.
type Facts struct {
	Protocol string `key:"protocol" oneof:"full grail_50" doc:"full ranks a right answer among all entities that are not known to be right, grail_50 among 49 of them drawn at random"`
	Batch    int    `key:"batch" for:"embeddings bilevel paths" range:"[1,∞)" doc:"facts a batch, or questions where link.against is everything"`

	Distance    string  `key:"distance" for:"embeddings bilevel" oneof:"squared l2 l1" doc:"of transe and rotate: squared, l2 or l1"`
	Reciprocal  bool    `key:"reciprocal" for:"embeddings" doc:"the inverse of a relation is trained for itself"`
	Against     string  `key:"against" for:"embeddings bilevel" oneof:"drawn everything" doc:"what facts are told apart from: drawn (false answers at random) or everything (all entities, by softmax)"`
	Loss        string  `key:"loss" for:"embeddings bilevel" oneof:"bce softmax margin self-adversarial" doc:"of drawn answers: bce, softmax, margin (hinge) or self-adversarial (bce with a fact as heavy as its false answers together)"`
	Hinge       float64 `key:"hinge" for:"embeddings bilevel" range:"(0,∞)" doc:"of loss margin: how much better a fact must score"`
	Adversarial float64 `key:"adversarial" for:"embeddings bilevel" range:"[0,∞)" doc:"of loss self-adversarial: false answers weigh softmax of so many times their scores; 0 for all alike"`
	Negatives   int     `key:"negatives" for:"embeddings bilevel paths" range:"[1,∞)" doc:"false answers to every question"`
	Draw        string  `key:"draw" for:"embeddings bilevel" oneof:"uniform bernoulli typed" doc:"where they come from: uniform, bernoulli (the end that is asked for depends on the relation) or typed (entities seen at that end of the relation)"`
	Filtered    bool    `key:"filtered" for:"embeddings bilevel" doc:"false answers are never facts of the training graph"`
	Shared      int     `key:"shared" for:"embeddings bilevel" range:"[0,∞)" doc:"false answers that all questions of a batch have in common, in the place of negatives; 0 for none"`
	Penalty     float64 `key:"penalty" for:"embeddings bilevel" range:"[0,∞)" doc:"weight of the penalty on embeddings that a batch reads"`
	Cubic       bool    `key:"cubic" for:"embeddings bilevel" doc:"the penalty is the sum of cubes, N3, rather than of squares"`
	Start       float64 `key:"start" for:"embeddings bilevel" range:"(0,∞)" doc:"deviation of the entries that embeddings start with"`
	Sample      int     `key:"sample" for:"embeddings bilevel" range:"[0,∞)" doc:"validation facts that are ranked between epochs; 0 for all"`

	Upper  string `key:"upper" for:"bilevel" oneof:"energy batches" doc:"what relations are trained by: the energy itself, or the loss above on batches of facts"`
	Block  int    `key:"block" for:"bilevel" range:"[0,∞)" doc:"entities that settle at a time among all others, which stay; 0 for all at once. With blocks the energy is the loss above"`
	Beside int    `key:"beside" for:"bilevel" range:"[1,∞)" doc:"false triples beside every fact in the energy; of a block, the false answers that its questions share"`
	Redraw int    `key:"redraw" for:"bilevel" range:"[1,∞)" doc:"epochs after which these are drawn anew"`

	Message     string  `key:"message" for:"paths" oneof:"distmult transe rotate" doc:"what an edge sends: h∘e (distmult), h + e (transe) or h turned by e (rotate)"`
	Aggregate   string  `key:"aggregate" for:"paths" oneof:"sum pna pna-fused" doc:"how messages become one: sum, pna (mean, largest, smallest and deviation, by degree) or pna-fused (pna with the second moment of NBFNet's fused kernel)"`
	Relations   string  `key:"relations" for:"paths" oneof:"conditioned free" doc:"the vector of a relation: conditioned (a function of the question) or free (the same for all)"`
	Removal     string  `key:"removal" for:"paths" oneof:"triple pair" doc:"edges that a batch does not see: triple (its own facts) or pair (every edge between a question and an answer)"`
	Temperature float64 `key:"temperature" for:"paths" range:"(0,∞)" doc:"false answers weigh softmax(score/temperature)"`

	Step  float64 `key:"step" for:"refactor" range:"(0,∞)" doc:"length of a step of the states"`
	Decay float64 `key:"decay" for:"refactor" range:"(0,∞)" doc:"of states, per step"`
	Noise float64 `key:"noise" for:"refactor" range:"(0,∞)" doc:"deviation of the random part of first states"`
	Reset int     `key:"reset" for:"refactor" range:"[1,∞)" doc:"epochs after which states start anew"`
}
