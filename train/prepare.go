package train

import (
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
)

func prepare(c config.Data, d *dataset.Dataset, seed uint64) (*dataset.Dataset, error) { return d, nil }
