package train

import "github.com/bloomgml/bloom/metric"

// Certainty is how far the probabilities of facts of a knowledge graph and sets of answers can be trusted: all of it
// was found on validation facts, and is measured on test facts.
type Certainty struct {
	Answers *AnswerCertainty `json:"answers,omitempty"` // nil for a model that answers no questions
	Facts   *FactCertainty   `json:"facts,omitempty"`
}

// Literals is how much the log odds of numbers and texts of entities count in scores, and the mean reciprocal rank of
// some validation facts with and without them.
type Literals struct {
	Factor  float64 `json:"factor"`
	With    float64 `json:"valid_with"`
	Without float64 `json:"valid_without"`
}

// AnswerCertainty is about answers, not known to be right, to the questions for either end of facts.
type AnswerCertainty struct {
	Questions int `json:"questions"` // that calibrated
	Tested    int `json:"tested"`    // questions
	// Before and After are the expected calibration error of the first answer, by a softmax of scores and by one of
	// scores times a factor for each relation and direction.
	Before metric.Nullable `json:"ece_before"`
	After  metric.Nullable `json:"ece_after"`
	// Sets of answers that have the right one with probability Coverage: the share of test questions where they do,
	// and their mean and median size.
	Coverage  float64           `json:"coverage"`
	Test      float64           `json:"test"`
	Size      float64           `json:"size"`
	Median    float64           `json:"median"`
	Relations []RelationAnswers `json:"relations"`
}

// RelationAnswers is AnswerCertainty for the questions about one relation in one direction.
type RelationAnswers struct {
	Name      string  `json:"relation"`
	For       string  `json:"for"`       // tail or head
	Questions int     `json:"questions"` // that calibrated
	Alone     bool    `json:"alone"`     // they were enough for sets of their own
	Tested    int     `json:"tested"`
	Test      float64 `json:"test"`
	Size      float64 `json:"size"`
}

// FactCertainty is about facts that are as often false as true.
type FactCertainty struct {
	Given     bool            `json:"given"`     // the data says what is false; otherwise false facts were drawn
	Valid     int             `json:"valid"`     // facts, true and false, that calibrated
	Tested    int             `json:"tested"`    // likewise
	Threshold float64         `json:"threshold"` // the probability above which a fact is taken for true
	F1        metric.Nullable `json:"f1"`        // of true facts
	Accuracy  metric.Nullable `json:"accuracy"`
	ROCAUC    metric.Nullable `json:"roc_auc"`
	ECE       metric.Nullable `json:"ece"`
	Relations []RelationFacts `json:"relations"`
}

// RelationFacts is how the facts of a relation become probabilities: 1/(1 + exp(−odds)) with
//
//	odds = Constant + Tail·log(rank of the tail) + Head·log(rank of the head)
type RelationFacts struct {
	Name     string  `json:"relation"`
	Valid    int     `json:"valid"`
	Tail     float64 `json:"tail"`
	Head     float64 `json:"head"`
	Constant float64 `json:"constant"`
}
