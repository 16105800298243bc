package nodes

import (
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
)

// prepare is d with its features as training uses them: scaled, and then corrupted where that is asked for, other
// nodes for every seed. Noise has the size it is given because it comes after scaling.
func prepare(c config.Data, d *dataset.Dataset, seed uint64) (*dataset.Dataset, error) {
	spoil, err := dataset.ParseCorruption(c.Corrupt)
	if err != nil {
		why := strings.TrimPrefix(err.Error(), fmt.Sprintf("corruption %q: ", c.Corrupt))
		return nil, &run.BadSetting{Key: "data.corrupt", Value: c.Corrupt,
			Want: "something like rows=0.2,kind=replace; " + why}
	}
	d, err = dataset.Scale(d, c.Scale)
	if err != nil {
		return nil, &run.BadData{Data: d.Name, Text: err.Error()}
	}
	if spoil.Rows == 0 {
		return d, nil
	}
	return dataset.Corrupt(d, spoil, mat.Mix(seed, hash("corrupt")))
}
