package node

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
)

// againKeys are the settings of a comparison that the user may have made; those of recipes are looked up again.
const againKeys = "train.seed train.metric train.class_weight train.cost data.folds data.holdout data.split"

// RaceAgain makes the comparison that chose the run of c in dir again, on other data and with the same candidates
// whatever the time; nil if there was none.
func RaceAgain(ctx context.Context, dir string, c config.Config, d *dataset.Dataset) (*Raced, error) {
	text, err := files.Read(filepath.Join(dir, racedName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var was Raced
	if err := json.Unmarshal(text, &was); err != nil {
		return nil, files.Errorf(filepath.Join(dir, racedName), "%v", err)
	}
	o, have := RaceOptions{}, c.Values()
	for _, x := range was.Candidates {
		if x.Why == "" && slices.ContainsFunc(candidates, func(y candidate) bool { return y.name == x.Name }) {
			o.Names = append(o.Names, x.Name)
		}
	}
	if len(o.Names) == 0 {
		return nil, nil
	}
	o.Configure = func(recipe string, set []string) (*config.Config, error) {
		for _, key := range strings.Fields(againKeys) {
			if x := have(key); x != "" {
				set = append(set, key+"="+x)
			}
		}
		return config.Load(config.Options{Recipe: recipe, Data: "-", Set: set})
	}
	return Race(ctx, d, o)
}
