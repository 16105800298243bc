//go:build opaque

package ad

import (
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/mat/mattest"
)

// With the build tag opaque every test of a package above this one runs on mattest.Opaque.
func init() { mat.Use(mattest.Opaque) }
