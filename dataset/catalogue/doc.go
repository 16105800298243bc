// Package catalogue knows the benchmark sets by name, downloads them, and opens whatever a user may name.
//
//	path, err := catalogue.Get(ctx, "cora", catalogue.Options{})
//	d, err := catalogue.Open("cora")
package catalogue
