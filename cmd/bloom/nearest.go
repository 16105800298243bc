package main

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/nearest"
)

// didYouMean proposes the name that was probably meant: "; did you mean "doctor"?", or nothing
// when no name is near.
func didYouMean(typed string, names []string, prefix string) string {
	if name := nearest.Name(typed, names); name != "" {
		return fmt.Sprintf("; did you mean %q?", prefix+name)
	}
	return ""
}
