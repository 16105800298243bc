package importer

import (
	"cmp"
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
const rare = 0.25

// rareLast makes the rarer of two classes the second, which metrics of finding nodes are about. Classes that are about
// as frequent stay in the order of their names.
func rareLast(l *dataset.Labels) {
	if count := counted(l); len(l.Names) == 2 && count[0] < rare*(count[0]+count[1]) {
		l.Names[0], l.Names[1] = l.Names[1], l.Names[0]
		for i, c := range l.Class {
			if c >= 0 {
				l.Class[i] = 1 - c
			}
		}
	}
}

// counted returns how many nodes have the first two classes.
func counted(l *dataset.Labels) (count [2]float64) {
	for _, c := range l.Class {
		if c == 0 || c == 1 {
			count[c]++
		}
	}
	return count
}

// metricOf returns the metric of labels. If one of two classes is rare, never predicting it is nearly always right;
// then the precision of finding it counts.
func metricOf(l dataset.Labels) string {
	switch l.Task {
	case dataset.Sets:
		return "micro_f1"
	case dataset.Numbers:
		return "rmse"
	}
	if count := counted(&l); len(l.Names) == 2 && count[1] < rare*(count[0]+count[1]) {
		return "average_precision"
	}
	return "accuracy"
}

// manyNumbers and manyFractions: labels with more distinct values than this are numbers rather than classes.
const manyNumbers, manyFractions = 100, 20

// guessTask guesses what labels are, and says why; p is their column.
//
// Chosen: numbers if nine of ten are numbers, or half and the others are up to three words such as TBD, and more than
// 100 are distinct, or more than 20 or than half, and one has a fraction; sets if one has a semicolon or is a JSON
// list, or if commas or bars stand between the same few names; else classes.
func guessTask(p *columnProfile, texts []string) (task, why string) {
	different, lists := map[string]bool{}, 0
	separator, guessed := separatorOf(texts)
	for _, text := range texts {
		if text != "" {
			different[text] = true
		}
		if separator != "" && strings.Contains(text, separator) || strings.HasPrefix(text, "[") {
			lists++
		}
	}
	there := p.rows - p.missing
	numbers := p.numbers > 0 && (10*p.numbers >= 9*there || 2*p.numbers >= there && len(p.odd) <= fewWords)
	switch n := len(different); {
	case numbers && (lists == 0 || guessed) &&
		(n > manyNumbers || p.whole < p.numbers && (n > manyFractions || n > 2 && 2*n > there)):
		return dataset.Numbers, fmt.Sprintf("%d different numbers; --task class makes them classes", n)
	case lists > 0:
		return dataset.Sets, fmt.Sprintf("%d lists; --task class makes them classes", lists)
	case numbers && n > 2:
		return classTask, fmt.Sprintf("%d different values; --task regression makes them numbers", n)
	default:
		return classTask, fmt.Sprintf("%d different values", n)
	}
}

// separatorOf returns what stands between the classes of sets, empty if texts are no sets; guessed says that it may be
// part of a name too.
//
// Chosen: a semicolon if one is there; else a comma or a bar that a twentieth of the texts have, if twice the number
// of names between them is at most the number of different texts, or all names are texts of their own too.
func separatorOf(texts []string) (separator string, guessed bool) {
	if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, dataset.SetSeparator) }) {
		return dataset.SetSeparator, false
	}
	for _, separator = range []string{",", "|"} {
		names, whole, with, there, alone := map[string]bool{}, map[string]bool{}, 0, 0, 0
		for _, text := range texts {
			if text == "" {
				continue
			}
			if there++; strings.Contains(text, separator) {
				with++
			}
			list := setOf(strings.ToLower(text), separator)
			for _, name := range list {
				names[name] = true
			}
			whole[strings.Join(list, separator)] = true
		}
		for name := range names {
			if whole[name] {
				alone++
			}
		}
		if with > 1 && 20*with >= there && (2*len(names) <= len(whole) || alone == len(names)) {
			return separator, true
		}
	}
	return "", false
}

// label converts the labels of the nodes just read to the task. Nodes of other types have no labels.
func (n *nodeImport) label(labels *dataset.Texts) error {
	if err := n.budget.Take(int64(labels.Len())*labelBytes, "labels"); err != nil {
		return err
	}
	texts := make([]string, labels.Len())
	for i := range texts {
		if text := strings.TrimSpace(string(labels.Get(i))); !IsMissing(text) {
			texts[i] = text
		}
	}
	task, why := n.spec.Task, "you said so"
	p := profile(labels)
	if task == "" {
		task, why = guessTask(&p, texts)
	}
	var sets [][]string
	switch task {
	case classTask:
		why += n.sameClasses(texts)
	case dataset.Sets:
		separator, _ := separatorOf(texts)
		for _, text := range texts {
			sets = append(sets, setOf(text, cmp.Or(separator, dataset.SetSeparator)))
		}
		why += n.sameClasses(sets...)
	}
	for i, r := range n.report.Roles {
		if r.Role == "label" {
			n.report.Roles[i].Why = fmt.Sprintf("you said so; task %s: %s", task, why)
		}
	}
	switch task {
	case dataset.Numbers:
		return n.numbers(&p, texts)
	case dataset.Sets:
		return n.sets(texts, sets)
	}
	return n.classes(texts)
}

// numbers reads labels as numbers, written as those of a column. A text that is not a number is not a label, and is
// counted.
func (n *nodeImport) numbers(p *columnProfile, texts []string) error {
	var c dataset.Column
	c.Comma, c.Unit = p.writing()
	before := n.nodes.count() - len(texts)
	l := dataset.Labels{Class: slices.Repeat([]int32{-1}, before+len(texts)), Names: []string{n.spec.Label},
		Task: dataset.Numbers, Values: make([]mat.Real, before+len(texts))}
	known, odd, example := 0, 0, ""
	for i, text := range texts {
		x, ok := Number(&c, text)
		switch {
		case ok:
			l.Class[before+i], l.Values[before+i] = 0, mat.Real(x)
			known++
		case text != "":
			if odd++; odd == 1 {
				example = text
			}
		}
	}
	if known == 0 {
		return files.Errorf(n.report.Table, "column %q has no numbers, so it cannot be a numeric label", n.spec.Label)
	}
	if odd > 0 {
		note := fmt.Sprintf("%d labels are not numbers, such as %.40q: their nodes are unlabelled", odd, example)
		if float64(odd) > loud*float64(odd+known) {
			note = Warning + note
		}
		n.notes = append(n.notes, note)
	}
	n.labels = l
	return nil
}

// sets sets labels that are sets of classes; an empty text is no label.
func (n *nodeImport) sets(texts []string, list [][]string) error {
	var names []string
	seen := map[string]bool{}
	for _, classes := range list {
		for _, name := range classes {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return files.Errorf(n.report.Table, "column %q has no values, so it cannot be the label", n.spec.Label)
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

// setOf returns the classes of a set: a;b, or the JSON list ["a","b"]. An empty list, and none, are sets without
// classes.
func setOf(text, separator string) []string {
	var values []any
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &values) == nil {
		var names []string
		for _, v := range values {
			names = append(names, strings.TrimSpace(fmt.Sprint(v)))
		}
		return names
	}
	var names []string
	if strings.EqualFold(text, "none") {
		return nil
	}
	for name := range strings.SplitSeq(text, separator) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
