//go:build opaque

package ad

import (
	"github.com/bloomgml/bloom/internal/testkit/opaque"
	"github.com/bloomgml/bloom/mat"
)

// With the build tag opaque every test of a package above this one runs on the device of package opaque.
func init() { mat.Use(opaque.Device) }
