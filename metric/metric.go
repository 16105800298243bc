package metric

import (
	"fmt"
	"strings"
)

// Metric is one way to measure: its entry in the table holds everything that is printed about it. Its value is between
// Low and High, NaN if undefined; functions for what it cannot measure are nil.
type Metric struct {
	Low, High float64
	Lower     bool // smaller is better
	Percent   bool // people read it as a percentage
	Order     bool // of two classes, only the order of their scores matters: no temperature changes it

	Answers   func(Counts) float64      // of the answers to nodes, whatever their probabilities
	Scores    func(Predictions) float64 // of the probabilities of one class per node
	SetScores func(Sets) float64        // of the probabilities of any number of classes a node
	Numbers   func(Numbers) float64
	Links     func([]Ranking, Ties) float64

	Says Says
}

// Says holds, by task, what a metric measures, printed after its value. A task reports the metrics that say something
// about it.
type Says map[Task]string

// Task is what predictions are about.
type Task string

// The tasks. A metric that says nothing about two classes says what it says about any number of them.
const (
	TaskTwoClasses Task = "two classes"
	TaskClasses    Task = "classes"
	TaskSets       Task = "sets"
	TaskNumbers    Task = "numbers"
	TaskLinks      Task = "links"
)

// About returns what the metric says about a task, empty if the task does not report it.
func (m Metric) About(t Task) string {
	if says, ok := m.Says[t]; ok || t != TaskTwoClasses {
		return says
	}
	return m.Says[TaskClasses]
}

// Nodes measures predictions of one class per node.
func (m Metric) Nodes(p Predictions) float64 {
	if m.Answers != nil {
		return m.count(p.Classes, p.count)
	}
	return m.Scores(p)
}

// Sets measures predictions of any number of classes a node.
func (m Metric) Sets(s Sets) float64 {
	if m.Answers != nil {
		return m.count(s.Classes, s.count)
	}
	return m.SetScores(s)
}

// Text formats a value of the metric for people.
func (m Metric) Text(value float64) string {
	if m.Percent {
		return fmt.Sprintf("%.1f %%", 100*value)
	}
	return fmt.Sprintf("%.3f", value)
}

// ByName finds a metric.
func ByName(name string) (m Metric, ok bool) {
	for _, p := range Metrics.Parts {
		if p.Name == name {
			return p.New, true
		}
	}
	return Metric{}, false
}

// titles are names of metrics as people write them, where that is not the name with spaces.
var titles = map[string]string{"roc_auc": "ROC-AUC", "micro_f1": "micro-F1", "macro_f1": "macro-F1", "ece": "ECE",
	"rmse": "RMSE", "mae": "MAE", "r2": "R²", "mrr": "MRR"}

// Title returns the name of a metric as people write it.
func Title(name string) string {
	if t, ok := titles[name]; ok {
		return t
	}
	return strings.ReplaceAll(name, "_", " ")
}

// Names returns the metrics that a task reports, the default first.
func Names(t Task) []string {
	var names []string
	for _, p := range Metrics.Parts {
		if p.New.About(t) != "" {
			names = append(names, p.Name)
		}
	}
	return names
}

// Choice is the name of a metric, or auto for the metric of the data set or the default of the task.
type Choice string

// Words returns all choices, auto first.
func (Choice) Words() []string {
	names := []string{"auto"}
	for _, p := range Metrics.Parts {
		if len(p.New.Says) > 0 {
			names = append(names, p.Name)
		}
	}
	return names
}

// Doc lists what every task reports.
func (Choice) Doc() string {
	var list []string
	for _, t := range []Task{TaskClasses, TaskSets, TaskNumbers, TaskLinks} {
		list = append(list, fmt.Sprintf("of %s %s", t, strings.Join(Names(t), ", ")))
	}
	return strings.Join(list, "; ")
}
