package train

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
)

// Result is the result of all runs. The JSON keys are stable.
type Result struct {
	Data    string  `json:"data"`
	Recipe  string  `json:"recipe"`
	Metric  string  `json:"metric"`
	Test    Score   `json:"test"` // at the epochs that validation chose
	Valid   Score   `json:"valid"`
	Epochs  int     `json:"epochs"`           // of the longest run
	Best    []int   `json:"best"`             // the epoch that was chosen, of every run
	Seconds float64 `json:"seconds"`          // of all runs, from building models to the last file, as the clock has it
	Weights int     `json:"weights"`          // how many numbers are trained
	Device  string  `json:"device,omitempty"` // where it was trained, if not on the CPU
	// Tried has the seconds of an epoch on each device, if devices were compared.
	Tried    map[string]float64 `json:"tried,omitempty"`
	Run      string             `json:"run,omitempty"`
	Warnings []string           `json:"warnings,omitempty"`
	Notes    []string           `json:"notes,omitempty"` // what the data set says about itself, such as rows it lost

	// Only for nodes: all metrics besides Metric, and the calibration found on validation nodes.
	Metrics     []Measured   `json:"metrics,omitempty"`
	Calibration *Calibration `json:"calibration,omitempty"`

	// Folds is the number of folds of the labelled nodes if Valid is a cross-validated metric; 0 if the data has
	// validation nodes. The model itself has learnt from all labelled nodes except the test nodes.
	Folds int `json:"folds,omitempty"`
	// Candidates are the candidates compared before training, and Closed the closed form among them; empty if there
	// was no comparison.
	Candidates []Candidate `json:"candidates,omitempty"`
	Closed     *Closed     `json:"closed,omitempty"`

	// Rare is how the most probable nodes of a rare class do, of test nodes or cross-validated; nil if no class is
	// rare.
	Rare *Rare `json:"rare,omitempty"`

	// Only for facts of a knowledge graph: the graph that was trained on, the graph that test facts are about, and
	// how these ranked in the run with the best validation metric.
	Graph   *Graph         `json:"graph,omitempty"`
	Tested  *Graph         `json:"tested,omitempty"`
	Ranking *metric.Report `json:"ranking,omitempty"`
	// Literals is what numbers and texts of entities add to scores; nil if the data has none.
	Literals *Literals `json:"literals,omitempty"`
	// Certainty is nil without validation facts.
	Certainty *Certainty `json:"certainty,omitempty"`

	// Job is the run with the best validation metric, with the weights of its best epoch, and Config what was trained.
	Job    Job           `json:"-"`
	Config config.Config `json:"-"`
}

// Candidate is a recipe in a comparison: its validation metric, or the mean over folds, with its standard error.
type Candidate struct {
	Name    string          `json:"name"`
	Score   metric.Nullable `json:"score"`
	Error   metric.Nullable `json:"error"`
	Folds   int             `json:"folds,omitempty"` // that it was trained for
	Seconds float64         `json:"seconds"`
	Why     string          `json:"why,omitempty"` // it was not trained to the end; empty if it was
}

// Rare says how many of the nodes that are most probably of a rare class really are.
type Rare struct {
	Class     string  `json:"class"`
	Share     float64 `json:"share"`     // of all nodes that were looked at
	First     int     `json:"first"`     // how many of the most probable ones
	Precision float64 `json:"precision"` // share of these that is of the class
	Lift      float64 `json:"lift"`      // Precision / Share
}

// Closed is the metric of the closed form, which needs no training.
type Closed struct {
	Valid metric.Nullable `json:"valid"`
	Test  metric.Nullable `json:"test"`
}

// Graph is the size of a knowledge graph.
type Graph struct {
	Name      string `json:"name"`
	Entities  int    `json:"entities"`
	Relations int    `json:"relations"`
	Facts     int    `json:"facts"`
	Valid     int    `json:"valid"` // validation facts
	Test      int    `json:"test"`
}

// Score is a metric over runs: fractions, with the deviation of the runs themselves (divided by their number).
type Score struct {
	Mean float64   `json:"mean"`
	SD   float64   `json:"sd"`
	Runs []float64 `json:"runs"`
}

// MarshalJSON writes null for a mean and a deviation of no runs: 0 would be a result.
func (s Score) MarshalJSON() ([]byte, error) {
	type numbers struct {
		Mean *float64  `json:"mean"`
		SD   *float64  `json:"sd"`
		Runs []float64 `json:"runs"`
	}
	if len(s.Runs) == 0 {
		return json.Marshal(numbers{Runs: []float64{}})
	}
	return json.Marshal(numbers{&s.Mean, &s.SD, s.Runs})
}

// scoreOf sums up runs; it leaves out NaNs, which mean that there was nothing to measure.
func scoreOf(runs []float64) Score {
	s := Score{Runs: []float64{}}
	for _, v := range runs {
		if !math.IsNaN(v) {
			s.Runs = append(s.Runs, v)
		}
	}
	if len(s.Runs) > 0 {
		s.Mean, s.SD = metric.Mean(s.Runs), metric.SD(s.Runs)
	}
	return s
}

// summary returns the Result of all runs.
func summary(c config.Config, all []outcome, best *outcome) *Result {
	r := &Result{Data: c.Data.Name, Recipe: c.Recipe, Metric: best.job.Metric(), Job: best.job, Config: c}
	if d := mat.Default(); d != mat.CPU {
		r.Device = d.Name()
	}
	var test, valid []float64
	for _, x := range all {
		test, valid = append(test, x.test), append(valid, x.valid)
		r.Epochs, r.Best = max(r.Epochs, x.epochs), append(r.Best, x.best.Epoch)
	}
	r.Test, r.Valid = scoreOf(test), scoreOf(valid)
	for _, p := range best.job.Params() {
		r.Weights += p.Shape().Len()
	}
	r.Metrics = measured(all, best)
	best.job.Describe(r)
	for i, x := range all {
		if x.ended != nil {
			text := x.ended.Error()
			if len(all) > 1 {
				text = fmt.Sprintf("run %d: %s", i+1, text)
			}
			r.Warnings = append(r.Warnings, text)
		}
	}
	return r
}

// unmeasured returns scores that have not been measured.
func unmeasured() Scores {
	none := math.NaN()
	return Scores{none, none, none, none, none}
}

// Measuring is a Job that measures more than its metric, once, after Finish.
type Measuring interface {
	Measures() []Measure
}

// Measure is a metric of one run: of validation nodes, of test nodes, and on these of the answer that is the same for
// all nodes, such as the most frequent class of training nodes. NaN if there is nothing to measure.
type Measure struct {
	Metric                string
	Valid, Test, Majority float64
}

// Measured is a metric over runs.
type Measured struct {
	Metric   string           `json:"metric"`
	Test     Score            `json:"test"`
	Valid    Score            `json:"valid"`
	Majority *metric.Nullable `json:"majority,omitempty"` // of the best run: what one answer for all nodes gives
}

// Calibration holds what was found on validation nodes about the probabilities of a classifier.
type Calibration struct {
	// Temperature divides logits before they become probabilities. It minimises the log loss of the validation nodes.
	Temperature float64 `json:"temperature"`
	// Threshold, of two classes, is the probability of the second above which it is the answer; 0 if the larger
	// probability decides. By is the metric of the validation nodes that it maximises.
	Threshold float64 `json:"threshold,omitempty"`
	By        string  `json:"threshold_by,omitempty"`
	// Thresholds, of sets of classes, has a threshold per class if these are better than Threshold for all.
	Thresholds []float64 `json:"thresholds,omitempty"`
	// Factor, of numbers that were learnt as logarithms, multiplies their exponentials. It minimises the squared
	// error of the validation nodes.
	Factor float64 `json:"factor,omitempty"`
	// Before and After are the expected calibration error of the test nodes, without and with Temperature.
	Before metric.Nullable `json:"ece_before"`
	After  metric.Nullable `json:"ece_after"`
}

// better reports whether a is a better value of a metric than b.
func better(name string, a, b float64) bool {
	if m, _ := metric.ByName(name); m.Lower {
		return a < b
	}
	return a > b
}

// worst returns a value that every value of a metric is better than.
func worst(name string) float64 {
	if m, _ := metric.ByName(name); m.Lower {
		return math.Inf(1)
	}
	return math.Inf(-1)
}

// measured summarises every metric over all runs; best is the run that the result is about.
func measured(all []outcome, best *outcome) []Measured {
	var list []Measured
	for i, m := range best.measures {
		var test, valid []float64
		for _, x := range all {
			test, valid = append(test, x.measures[i].Test), append(valid, x.measures[i].Valid)
		}
		one := Measured{Metric: m.Metric, Test: scoreOf(test), Valid: scoreOf(valid)}
		if !math.IsNaN(m.Majority) {
			n := metric.Nullable(m.Majority)
			one.Majority = &n
		}
		list = append(list, one)
	}
	return list
}

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

// Card holds the parts of a model card that are specific to one kind of job; texts are whole paragraphs.
type Card struct {
	Task     string   // what hubs call it: node-classification or link-prediction
	Tags     []string // besides graph-ml and the task
	About    string   // what the model is
	Energy   string   // the lower level by its formulas; empty for a baseline
	Data     string
	Training string // how it was trained, after the number of weights
	Results  string // a table after the metric's; may be empty
	Limits   string
	Commands [][]string // of bloom, their words, to type in the run folder
	Loading  string     // what its files hold
}

// card writes the model card: front matter that model hubs read, then what there is to know, for people.
func (r *Result) card(w io.Writer) error {
	c := r.Job.Card(r)
	var b strings.Builder
	fmt.Fprintf(&b, "---\nlibrary_name: bloom\ntags: [%s]\ndatasets: [%q]\nmetrics: [%q]\n",
		strings.Join(append([]string{"graph-ml", c.Task}, c.Tags...), ", "), r.Data, r.Metric)
	fmt.Fprintf(&b, "model-index:\n- name: %q\n  results:\n  - task: {type: %s}\n"+
		"    dataset: {name: %q, type: graph}\n",
		r.Recipe, c.Task, r.Data)
	if len(r.Test.Runs) > 0 {
		fmt.Fprintf(&b, "    metrics: [{type: %q, name: test, value: %.4f}]\n", r.Metric, r.Test.Mean)
	}
	fmt.Fprintf(&b, "---\n\n# %s on %s\n\n%s\n\n", r.Recipe, r.Data, c.About)
	if c.Energy != "" {
		fmt.Fprintf(&b, "## Energy\n\n%s\n\n", c.Energy)
	}
	fmt.Fprintf(&b, "## Data\n\n%s\n\n## Training\n\n%d parameters, %s\n\n", c.Data, r.Weights, c.Training)
	r.evaluation(&b, c)
	fmt.Fprintf(&b, "## Use and limits\n\n%s\n\n## Loading\n\nIn this folder:\n\n", c.Limits)
	for _, words := range c.Commands {
		fmt.Fprintf(&b, "    %s\n", show.ShellCommand(append([]string{"bloom"}, words...)...))
	}
	fmt.Fprintf(&b, "\n%s\n", c.Loading)
	_, err := io.WriteString(w, b.String())
	return err
}

// evaluation writes the results.
func (r *Result) evaluation(b *strings.Builder, c Card) {
	fmt.Fprintf(b, "## Evaluation\n\n| | %s | deviation | runs |\n|---|---|---|---|\n", r.Metric)
	for _, s := range []struct {
		name string
		Score
	}{{"test", r.Test}, {"validation", r.Valid}} {
		if len(s.Runs) > 0 {
			fmt.Fprintf(b, "| %s | %.4f | %.4f | %d |\n", s.name, s.Mean, s.SD, len(s.Runs))
		}
	}
	if x := r.Closed; x != nil && len(r.Test.Runs) > 0 && !math.IsNaN(float64(x.Test)) {
		fmt.Fprintf(b, "| test, closed form | %.4f | | |\n", float64(x.Test))
	}
	b.WriteString("\n")
	if c.Results != "" {
		b.WriteString(c.Results + "\n\n")
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(b, "Note: %s.\n\n", w)
	}
}
