package node

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/adjoint"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/input"
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
			return c, &train.BadSetting{Key: key, Value: *value, Want: oneOf(names)}
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
				Want: oneOf(names) + ", or numbers by class"}
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
	return c, checkNumbers(c)
}

// oneOf returns "adam, adamw or sgd".
func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// checkNumbers returns a *train.BadSetting for the first number that cannot be.
func checkNumbers(c config.Config) error {
	positive := func(v float64) bool { return v > 0 && v <= 1e300 }
	notNegative := func(v float64) bool { return v >= 0 && v <= 1e300 }
	share := func(v float64) bool { return v >= 0 && v < 1 }
	for _, k := range []struct {
		key   string
		value float64
		ok    func(float64) bool
		want  string
	}{
		{"train.epochs", float64(c.Train.Epochs), notNegative, "0 or more"},
		{"train.rate", c.Train.Rate, positive, "a number above 0"},
		{"train.weight_decay", c.Train.WeightDecay, notNegative, "a number, 0 or above"},
		{"train.momentum", c.Train.Momentum, share, "a number from 0 to below 1"},
		{"train.warmup", float64(c.Train.Warmup), notNegative, "0 or more"},
		{"train.patience", float64(c.Train.Patience), notNegative, "0 or more"},
		{"train.clip", c.Train.Clip, notNegative, "a number, 0 or above"},
		{"train.label_rate", c.Train.LabelRate, func(v float64) bool { return v > 0 && v <= 1 },
			"a share above 0 and at most 1"},
		{"train.consistency.weight", c.Train.Consistency.Weight, notNegative, "a number, 0 or above"},
		{"train.consistency.temperature", c.Train.Consistency.Temperature,
			func(v float64) bool { return v > 0 && v <= 1 }, "a number above 0 and at most 1"},
		{"train.checkpoint", float64(c.Train.Checkpoint), notNegative, "0s or more"},
		{"model.before", float64(c.Model.Before), notNegative, "0 or more"},
		{"model.after", float64(c.Model.After), notNegative, "0 or more"},
		{"model.drop_nodes", c.Model.DropNodes, share, "a share from 0 to below 1"},
		{"model.input_dropout", c.Model.InputDropout, share, "a share from 0 to below 1"},
		{"model.dropout", c.Model.Dropout, share, "a share from 0 to below 1"},
		{"data.split", float64(c.Data.Split), notNegative, "0 or more"},
	} {
		if k.key == "train.rate" && c.Train.Epochs == 0 {
			continue
		}
		if !k.ok(k.value) {
			return &train.BadSetting{Key: k.key, Value: strconv.FormatFloat(k.value, 'g', -1, 64), Want: k.want}
		}
	}
	if c.Model.Hidden < 1 && c.Model.After > 0 && c.Model.Before > 0 {
		return &train.BadSetting{Key: "model.hidden", Value: fmt.Sprint(c.Model.Hidden), Want: "1 or more"}
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
