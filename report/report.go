// Package report writes the page about a run: one HTML file that needs nothing else.
package report

import (
	"io"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/report"
	"github.com/bloomgml/bloom/task/node"
)

// Write writes report.html into a run folder, over the one before. The model comes from the folder's config.
func Write(dir string) error { return report.Write(dir) }

// WriteOwn is Write for a run of a model of one's own: c, d and o are those that it was trained with.
func WriteOwn(dir string, c config.Config, d *dataset.Dataset, o node.Options) error {
	r, err := report.OpenAs(dir, c, d, o)
	if err != nil {
		return err
	}
	page := func(w io.Writer) error { return r.Page(w, report.Options{}) }
	return report.Store(filepath.Join(dir, "report.html"), page)
}
