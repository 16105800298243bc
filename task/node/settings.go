package node

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// words returns the valid values of a key of a config; the first is what an empty string means.
func words(key string) []string {
	for _, k := range config.Keys() {
		if k.Path == key {
			return k.Words
		}
	}
	return nil
}

// filled returns c with defaults instead of empty strings, a missing loss, counts below 1 and a label rate of 0, or a
// *train.BadSetting.
func filled(c config.Config) (config.Config, error) {
	for key, value := range map[string]*string{
		"train.optimizer": &c.Train.Optimizer, "train.schedule": &c.Train.Schedule, "train.target": &c.Train.Target,
		"train.metric": (*string)(&c.Train.Metric), "stack.norm": &c.Stack.Norm, "model.norm": &c.Model.Norm,
		"model.adjoint": &c.Model.Adjoint, "data.splits": &c.Data.Splits, "data.scale": &c.Data.Scale,
	} {
		names := words(key)
		if *value == "" {
			*value = names[0]
		}
		if !slices.Contains(names, *value) {
			return c, &train.BadSetting{Key: key, Value: *value, Want: keys.Either(names)}
		}
	}
	if c.Train.Loss == nil {
		c.Train.Loss = upper.Auto
	}
	if w := &c.Train.ClassWeight; w.By == nil {
		if names := words("train.class_weight"); w.Word == "" {
			w.Word = names[0]
		} else if !slices.Contains(names, w.Word) {
			return c, &train.BadSetting{Key: "train.class_weight", Value: w.Word,
				Want: keys.Either(names) + ", or numbers by class"}
		}
	}
	c.Train.Every, c.Train.Repeat = max(1, c.Train.Every), max(1, c.Train.Repeat)
	c.Stack.Levels = max(1, c.Stack.Levels)
	c.Train.Consistency.Samples = max(1, c.Train.Consistency.Samples)
	if c.Train.Consistency.Temperature == 0 {
		c.Train.Consistency.Temperature = 0.5
	}
	c.Train.Sample.Accumulate = max(1, c.Train.Sample.Accumulate)
	if c.Train.Sample.Batch > 0 {
		c.Train.Sample.Fanout = max(1, c.Train.Sample.Fanout)
	}
	if c.Train.LabelRate == 0 {
		c.Train.LabelRate = 1
	}
	if err := checkNumbers("", reflect.ValueOf(c)); err != nil {
		return c, err
	}
	switch {
	case c.Train.Rate == 0 && c.Train.Epochs > 0:
		return c, &train.BadSetting{Key: "train.rate", Value: "0", Want: "a number above 0"}
	case c.Model.Hidden < 1 && c.Model.After > 0 && c.Model.Before > 0:
		return c, &train.BadSetting{Key: "model.hidden", Value: fmt.Sprint(c.Model.Hidden), Want: "1 or more"}
	}
	return c, nil
}

// checkNumbers returns a *train.BadSetting for the first number outside of the interval of its key. 0 also means that
// it was not set.
func checkNumbers(prefix string, section reflect.Value) error {
	for _, f := range keys.Fields(section.Type()) {
		v, key, x := section.FieldByIndex(f.Index), prefix+f.Key, 0.0
		switch {
		case v.CanFloat():
			x = v.Float()
		case v.CanInt():
			x = float64(v.Int())
		case v.Kind() == reflect.Struct:
			if err := checkNumbers(key+".", v); err != nil {
				return err
			}
		}
		if x != 0 && !f.Within.Has(x) {
			return &train.BadSetting{Key: key, Value: strconv.FormatFloat(x, 'g', -1, 64),
				Want: "a number " + f.Within.String()}
		}
	}
	return nil
}

// normOf returns the norm of a name that filled has checked.
func normOf(name string) input.Norm { return input.Norm(slices.Index(words("model.norm"), name)) }

// adjointOf returns the adjoint of a name that filled has checked.
func adjointOf(name string) adjoint.Adjoint {
	switch name {
	case "checkpointed":
		return adjoint.Checkpointed{}
	case "implicit":
		return adjoint.Implicit{}
	}
	return adjoint.Unrolled{}
}

// checkSplit returns a *train.BadData where nothing can be learnt from a split, and warnings about what is odd in it.
func checkSplit(d *dataset.Dataset, s dataset.Split) (warnings []string, err error) {
	bad := func(format string, args ...any) error {
		return &train.BadData{Data: d.Name, Text: fmt.Sprintf(format, args...)}
	}
	if d.Labels.Class == nil {
		return nil, bad("there are no labels to learn from")
	}
	if d.Labels.Task == "" && len(d.Labels.Names) == 1 {
		return nil, bad("all labelled nodes have the class %q, and nothing can be learnt from one class: label some "+
			"nodes of another class; if empty cells mean another class, write its name into them",
			d.Labels.Names[0])
	}
	if len(s.Train) == 0 {
		return nil, bad("the split has no training nodes")
	}
	for _, list := range []struct {
		name  string
		nodes []int32
	}{{"training", s.Train}, {"validation", s.Valid}, {"test", s.Test}} {
		seen := make(map[int32]bool, len(list.nodes))
		for _, v := range list.nodes {
			if v < 0 || int(v) >= len(d.Labels.Class) {
				return nil, bad("%s node %d of %d nodes", list.name, v, len(d.Labels.Class))
			}
			if c := d.Labels.Class[v]; c < 0 || int(c) >= len(d.Labels.Names) {
				return nil, bad("%s node %s has no label", list.name, d.IDs.At(v))
			}
			if seen[v] {
				return nil, bad("%s node %s is in the split twice", list.name, d.IDs.At(v))
			}
			seen[v] = true
		}
	}
	if d.Labels.Task != "" {
		return warnings, nil
	}
	if c := d.Labels.Class[s.Train[0]]; !slices.ContainsFunc(s.Train,
		func(v int32) bool { return d.Labels.Class[v] != c }) {
		warnings = append(warnings, fmt.Sprintf("all training nodes have the class %q: there is nothing to learn",
			d.Labels.Names[c]))
	}
	return append(warnings, unseen(d, s)...), nil
}

// unseen warns of classes that no training node has.
func unseen(d *dataset.Dataset, s dataset.Split) []string {
	taught := make([]bool, len(d.Labels.Names))
	for _, v := range s.Train {
		taught[d.Labels.Class[v]] = true
	}
	met := make([]int, len(taught))
	for _, list := range [][]int32{s.Valid, s.Test} {
		for _, v := range list {
			met[d.Labels.Class[v]]++
		}
	}
	var names []string
	for c, ok := range taught {
		if !ok && met[c] > 0 {
			names = append(names, fmt.Sprintf("%q (%d nodes)", d.Labels.Names[c], met[c]))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"classes that no training node has cannot be learnt: " + strings.Join(names, ", ")}
}

// checkInputs warns of an uninformative graph or uninformative features.
func checkInputs(d *dataset.Dataset) (warnings []string) {
	table := d.Schema != nil && d.Schema.Tables == nil && d.Schema.Connect == nil // imported without edges
	if d.Graph.NumEdges() == 0 && d.Settled.Energy == "" && !table {
		warnings = append(warnings, "the graph has no edges: nodes are independent")
	}
	for t, x := range d.Features {
		if x.Cols > 0 && x.Rows > 0 && isZero(x) {
			warnings = append(warnings, fmt.Sprintf("all features of %s are 0 and carry no information",
				d.TypeName(int32(t))))
		}
	}
	return warnings
}

func isZero(x dataset.Matrix) bool {
	if x.Values == nil {
		return len(x.Idx) == 0
	}
	for _, v := range x.Values {
		if v != 0 {
			return false
		}
	}
	return true
}
