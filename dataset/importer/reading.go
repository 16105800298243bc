package importer

import (
	"time"

	"github.com/bloomgml/bloom/dataset"
)

// Fit guesses what a column holds and fits its transform.
func Fit(raw *dataset.RawColumn) (dataset.Column, error) { return fitColumn(raw, wish{}) }

// IsMissing reports whether a text says that there is no value.
func IsMissing(text string) bool { return isMissing(text) }

// Number reads a number of column c.
func Number(c *dataset.Column, text string) (float64, bool) { return readAs(c, text) }

// Moment reads a date of column c.
func Moment(c *dataset.Column, text string) (time.Time, bool) { return readTime(c, text) }
