package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// runConfig returns the config of a run folder.
func runConfig(cmd *cobra.Command, dir string) (*config.Config, error) {
	file := filepath.Join(dir, "config.yaml")
	if _, err := os.Stat(file); err != nil {
		return nil, badData(fmt.Errorf("%s is not a run folder: it has no config.yaml; bloom train makes one", dir))
	}
	c, err := config.Load(config.Options{File: file})
	var at *files.Error
	if errors.As(err, &at) && strings.HasPrefix(at.Text, "no recipe ") {
		return nil, badData(fmt.Errorf("%w. If the model was written in Go, only the program that has it can open "+
			"the run: node.Load does, and report.WriteOwn makes its page", err))
	}
	if err != nil {
		return nil, runError(cmd, err)
	}
	noteUnsealed(cmd, dir)
	return c, nil
}

// noteUnsealed reports files of a run folder that cannot be checked.
func noteUnsealed(cmd *cobra.Command, dir string) {
	if !files.Sealed(dir) {
		notice(cmd)(fmt.Sprintf("%s has no %s, as older versions did not write one: changes to its files cannot be "+
			"detected", show.Safe(dir), files.SumsFile))
		return
	}
	names, _ := files.Unlisted(dir)                           // an unreadable file is reported where it is needed
	names = slices.DeleteFunc(names, func(name string) bool { // a checkpoint has a checksum of its own
		return strings.HasPrefix(name, "checkpoint/") || !slices.ContainsFunc(runFiles, func(pattern string) bool {
			match, _ := path.Match(pattern, name)
			return match
		})
	})
	if len(names) == 0 {
		return
	}
	notice(cmd)(fmt.Sprintf("%s of %s does not list %s: changes to it cannot be detected", files.SumsFile,
		show.Safe(dir), show.Safe(strings.Join(names, ", "))))
}

// openRun returns the data of a run folder with the config c, or the data that --data names instead, which c then
// names. From then on products are rounded as in its training.
func openRun(cmd *cobra.Command, dir string, c *config.Config, data string) (*dataset.Dataset, error) {
	d, err := train.OpenData(dir, c, data)
	if err != nil {
		return nil, badRef(cmd, err)
	}
	_ = mat.Round(mat.Precision(c.Train.Precision)) // float32, which is closer, if the device cannot
	if _, err := os.Stat(filepath.Join(dir, "data.json")); err != nil {
		notice(cmd)(fmt.Sprintf("%s does not record its data, as older versions did not: changes to the data cannot "+
			"be detected", show.Safe(dir)))
	}
	return d, nil
}

// dataFlag is the flag of commands about a run.
func dataFlag(cmd *cobra.Command, data *string) {
	cmd.Flags().StringVar(data, "data", "", "where the run's data is now, or a newer `file` with the same columns")
}
