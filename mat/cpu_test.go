package mat_test

import (
	"testing"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/mat/mattest"
)

// TestCPU holds the first Device to the contract.
func TestCPU(t *testing.T) { mattest.TestDevice(t, mat.CPU) }
