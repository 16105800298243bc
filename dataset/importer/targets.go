package importer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// classTask is the word for one class per node.
const classTask = "class"

// tasks are the words of Spec.Task.
var tasks = []string{classTask, dataset.Sets, dataset.Numbers}

// rare is the share below which one class of two is looked for rather than told from the other.
const rare = 0.1

// metricOf returns the metric of labels. If one of two classes is rare, never predicting it is nearly always right;
// then the precision of finding it counts, or, as that is about the second class, the area under the curve.
func metricOf(l dataset.Labels) string {
	switch l.Task {
	case dataset.Sets:
		return "micro_f1"
	case dataset.Numbers:
		return "rmse"
	}
	if len(l.Names) == 2 {
		var count [2]float64
		for _, c := range l.Class {
			if c >= 0 {
				count[c]++
			}
		}
		switch all := count[0] + count[1]; {
		case count[1] < rare*all:
			return "average_precision"
		case count[0] < rare*all:
			return "roc_auc"
		}
	}
	return "accuracy"
}

// manyNumbers and manyFractions: labels with more distinct values than this are numbers rather than classes.
const manyNumbers, manyFractions = 100, 20

// guessTask guesses what labels are, and says why.
//
// Chosen: numbers if all are numbers and more than 100 are distinct, or more than 20 and one has a fraction; sets if
// one has a semicolon or is a JSON list; else classes.
func guessTask(texts []string) (task, why string) {
	different, numbers, fractions, lists := map[string]bool{}, 0, 0, 0
	there := 0
	for _, text := range texts {
		if text == "" {
			continue
		}
		there++
		different[text] = true
		if x, ok := parseNumber(text); ok {
			numbers++
			if x != float64(int64(x)) {
				fractions++
			}
		}
		if strings.Contains(text, dataset.SetSeparator) || strings.HasPrefix(text, "[") {
			lists++
		}
	}
	switch n := len(different); {
	case there > 0 && numbers == there && (n > manyNumbers || n > manyFractions && fractions > 0):
		return dataset.Numbers, fmt.Sprintf("%d different numbers; --task class makes them classes", n)
	case lists > 0:
		return dataset.Sets, fmt.Sprintf("%d lists; --task class makes them classes", lists)
	default:
		return classTask, fmt.Sprintf("%d different values", n)
	}
}

// label converts the labels of the nodes just read to the task. Nodes of other types have no labels.
func (n *nodeImport) label(labels *dataset.Texts) error {
	if err := n.budget.Take(int64(labels.Len())*labelBytes, "labels"); err != nil {
		return err
	}
	texts := make([]string, labels.Len())
	for i := range texts {
		if text := strings.TrimSpace(string(labels.Get(i))); !isMissing(text) {
			texts[i] = text
		}
	}
	task, why := n.spec.Task, "you said so"
	if task == "" {
		task, why = guessTask(texts)
	}
	if task == classTask {
		why += n.sameClasses(texts)
	}
	n.sayTask(task, why)
	switch task {
	case dataset.Numbers:
		return n.numbers(texts)
	case dataset.Sets:
		return n.sets(texts)
	}
	return n.classes(texts)
}

// sameClasses merges classes that are spellings of others if requested; otherwise it reports which look alike.
func (n *nodeImport) sameClasses(texts []string) string {
	p := columnProfile{levels: map[string]int{}}
	for _, text := range texts {
		if text != "" {
			p.levels[text]++
		}
	}
	same := p.spellings()
	if len(same) == 0 {
		return ""
	}
	if !n.merges(n.spec.Label) {
		n.notes = append(n.notes, Warning+fmt.Sprintf("classes %s look like others; --merge %s makes them one",
			spelled(same), n.spec.Label))
		return ""
	}
	for i, text := range texts {
		if to, found := same[text]; found {
			texts[i] = to
		}
	}
	return fmt.Sprintf("; %d spellings are others of these", len(same))
}

// sayTask adds the task to the report of the column.
func (n *nodeImport) sayTask(task, why string) {
	for i, r := range n.report.Roles {
		if r.Role == "label" {
			n.report.Roles[i].Why = fmt.Sprintf("you said so; task %s: %s", task, why)
		}
	}
}

// numbers reads labels as numbers. A text that is not a number is not a label, and is counted.
func (n *nodeImport) numbers(texts []string) error {
	before := n.nodes.count() - len(texts)
	l := dataset.Labels{Class: slices.Repeat([]int32{-1}, before+len(texts)), Names: []string{n.spec.Label},
		Task: dataset.Numbers, Values: make([]mat.Real, before+len(texts))}
	known, odd := 0, 0
	for i, text := range texts {
		x, ok := parseNumber(text)
		switch {
		case ok:
			l.Class[before+i], l.Values[before+i] = 0, mat.Real(x)
			known++
		case text != "":
			odd++
		}
	}
	if known == 0 {
		return files.Errorf(n.report.Table, "column %q has no numbers to be labels", n.spec.Label)
	}
	if odd > 0 {
		n.notes = append(n.notes, fmt.Sprintf("%d labels are not numbers: their nodes are unlabelled", odd))
	}
	n.labels = l
	return nil
}

// sets reads labels as sets of classes: a;b, or the JSON list ["a","b"]. An empty list is a set without classes.
func (n *nodeImport) sets(texts []string) error {
	list := make([][]string, len(texts))
	var names []string
	seen := map[string]bool{}
	for i, text := range texts {
		list[i] = setOf(text)
		for _, name := range list[i] {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return files.Errorf(n.report.Table, "column %q has no values to be labels", n.spec.Label)
	}
	if len(names) > maxForced {
		return files.Errorf(n.report.Table, "column %q has sets of %d different classes, more than %d", n.spec.Label,
			len(names), maxForced)
	}
	sortNames(names)
	k, before := len(names), n.nodes.count()-len(texts)
	if err := n.budget.Take(int64(k)*int64(before+len(texts))*8, "sets of classes"); err != nil {
		return err
	}
	l := dataset.Labels{Class: slices.Repeat([]int32{-1}, before+len(texts)), Names: names, Task: dataset.Sets,
		Values: make([]mat.Real, k*(before+len(texts)))}
	for i, classes := range list {
		if texts[i] != "" {
			l.Class[before+i] = 0
		}
		for _, name := range classes {
			l.Values[(before+i)*k+slices.Index(names, name)] = 1
		}
	}
	n.labels = l
	return nil
}

// setOf returns the classes of a set.
func setOf(text string) []string {
	var values []any
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &values) == nil {
		var names []string
		for _, v := range values {
			names = append(names, strings.TrimSpace(fmt.Sprint(v)))
		}
		return names
	}
	var names []string
	for name := range strings.SplitSeq(text, dataset.SetSeparator) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
