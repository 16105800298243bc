package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/train"
)

// openConfigured loads a config and the data that it names. Where the data is a file of a set that recipes have settings
// for, those settings apply.
func openConfigured(cmd *cobra.Command, o config.Options) (*config.Config, *dataset.Dataset, error) {
	cfg, err := loadConfig(cmd, o)
	if err != nil {
		return nil, nil, err
	}
	d, err := dataset.Open(cfg.Data.Name)
	if err != nil {
		return nil, nil, badRef(cmd, err)
	}
	if name := strings.ToLower(d.Name); name != strings.ToLower(cfg.Data.Name) {
		o.Catalogue = name
		if cfg, err = loadConfig(cmd, o); err != nil {
			return nil, nil, err
		}
	}
	return cfg, d, nil
}

// openRun loads a run folder.
func openRun(cmd *cobra.Command, dir string) (*train.Trained, error) {
	if _, err := os.Stat(filepath.Join(dir, "config.yaml")); err != nil {
		return nil, &dataError{fmt.Errorf("%s is no run folder: it has no config.yaml; bloom train makes one", dir)}
	}
	t, err := train.Open(dir)
	if err != nil {
		return nil, runError(cmd, err)
	}
	return t, nil
}
