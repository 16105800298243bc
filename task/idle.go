package task

import (
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/train"
)

// IdleRule lists keys that have no effect under the other settings of a config, and says why.
type IdleRule = struct {
	Keys string // with spaces between them
	Is   bool   // whether it is so
	Why  string
}

// TrainingKeys are the keys of the training loop besides train.epochs; they have an effect only if there are epochs.
const TrainingKeys = "train.optimizer train.rate train.weight_decay train.momentum train.schedule train.warmup " +
	"train.clip train.every train.loss train.label_rate"

// CheckIdle refuses a config in which an idle key differs from the value shipped for its recipe and data, which is
// known as set: a user who set it would expect an effect. It adds the rules of the training loop to the rules of a
// model. The error is a *train.BadSetting.
func CheckIdle(c config.Config, set string, rules []IdleRule) error {
	byName, err := c.Shipped(c.Data.Name)
	if err != nil {
		return err
	}
	have, named := c.Values(), byName.Values()
	ships := named
	if set != "" && set != c.Data.Name {
		known, err := c.Shipped(set)
		if err != nil {
			return err
		}
		ships = known.Values()
	}
	for _, rule := range append(rules,
		IdleRule{TrainingKeys, c.Train.Epochs == 0, "train.epochs is 0"},
		IdleRule{"train.momentum", c.Train.Optimizer != "sgd", "train.optimizer is not sgd"}) {
		if !rule.Is {
			continue
		}
		for _, key := range strings.Fields(rule.Keys) {
			now, was := have(key), ships(key)
			if now != was && now != named(key) && now != "" && was != "" {
				want := fmt.Sprintf("%s, or the key left out: %s does not read it, because %s", was, c.Recipe, rule.Why)
				return &train.BadSetting{Key: key, Value: now, Want: want, Idle: true}
			}
		}
	}
	return nil
}
