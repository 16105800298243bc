package run

import (
	"strings"

	"github.com/bloomgml/bloom/config"
)

// Idle are keys that nothing reads under the other settings of a config, and why.
type Idle = struct {
	Keys string // with spaces between them
	Is   bool   // whether it is so
	Why  string
}

// ofTraining are the keys of the loop, which epochs make mean something.
const ofTraining = "train.optimizer train.rate train.weight_decay train.momentum train.schedule train.warmup " +
	"train.clip train.every train.loss train.label_rate"

// CheckIdle refuses a config in which an idle key has another value than the one shipped for its recipe and data:
// whoever set it would wait for an effect. To the rules of a model it adds those of the loop. The error is a
// *BadSetting.
func CheckIdle(c config.Config, rules []Idle) error {
	shipped, err := config.Default(c.Recipe, c.Data.Name)
	if err != nil {
		return err
	}
	for _, rule := range append(rules,
		Idle{ofTraining, c.Train.Epochs == 0, "train.epochs is 0"},
		Idle{"train.momentum", c.Train.Optimizer != "sgd", "train.optimizer is not sgd"}) {
		if !rule.Is {
			continue
		}
		for _, key := range strings.Fields(rule.Keys) {
			have, ships := c.Value(key), shipped.Value(key)
			if have != ships && have != "" {
				return &BadSetting{Key: key, Value: have, Want: ships + ", which is not used: " + rule.Why}
			}
		}
	}
	return nil
}
