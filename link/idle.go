package link

import (
	"fmt"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/run"
)

// idle is a setting that others leave without an effect.
type idle struct {
	key   string
	value func(config.Link) any
	when  func(config.Link) bool
	want  string // what would have one
}

// idlePaths are the settings of path models that others leave without an effect.
var idlePaths = []idle{
	{"link.aggregate", func(l config.Link) any { return l.Aggregate },
		func(l config.Link) bool { return l.Aggregate == "pna-fused" && l.Message != "transe" },
		"sum or pna: pna-fused differs from pna where link.message is transe alone"},
	{"link.temperature", func(l config.Link) any { return l.Temperature },
		func(l config.Link) bool { return l.Negatives == 1 },
		"no other: where link.negatives is 1 the false answer weighs 1 at any temperature"},
}

// checkIdle refuses a setting of the table that has no effect, where it is not the one that c starts from. The error
// is a *run.BadSetting.
func checkIdle(c config.Config, table []idle) error {
	shipped, err := config.Default(c.Recipe, c.Data.Name)
	if err != nil {
		return err
	}
	for _, x := range table {
		if v := x.value(c.Link); x.when(c.Link) && v != x.value(shipped.Link) {
			return &run.BadSetting{Key: x.key, Value: fmt.Sprint(v), Want: x.want}
		}
	}
	return nil
}
