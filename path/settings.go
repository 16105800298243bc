package path

import "strings"

// For are the settings of a model for a data set of the catalogue, or for any other: those of NBFNet, which differ between
// the two families of inductive data sets. All versions of a family have the same.
//
// Deviation: NBFNet has vectors of relations that do not depend on the query for WN18RR; the paper's text has them depend on
// it everywhere.
func For(data string, m Message, a Aggregate) Config {
	c := Config{Message: m, Aggregate: a}
	name := strings.ToLower(data)
	if strings.HasPrefix(name, "fb237_") || strings.HasPrefix(name, "fb15k-237_") {
		c.Removal, c.Temperature, c.Batch = Pairs, 0.5, 64
	}
	return c.withDefaults()
}
