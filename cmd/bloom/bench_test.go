package main

import (
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/workload"
)

// TestProfileTable: what a profile looks like; what takes less than a thousandth is left out.
func TestProfileTable(t *testing.T) {
	var b strings.Builder
	showProfile(&b, workload.Profile{
		Workload: "roman/hetero", Threads: 16, Seconds: 0.25,
		Limits: workload.Limits{Peak: 1620, One: 150, Memory: 210.4, Cache: 1800},
		Operations: []workload.Operation{
			{Op: "matmul", Shape: "22662×512×512 A·Bᵀ", Calls: 8, Seconds: 0.2, Flops: 950.5, Bytes: 2.5, Share: 0.587,
				Limit: "peak", Faster: 8.11},
			{Op: "descend′", Shape: "65838·22662×18·4", Calls: 1, Seconds: 0.04988, Flops: 20, Bytes: 100, Share: 0.5,
				Limit: "memory", Faster: 2},
			{Op: "finite", Shape: "22662×512", Calls: 1, Seconds: 0.00012},
		},
	})
	snapshot(t, "bench-profile", b.String())
}
