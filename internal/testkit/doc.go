// Package testkit is what tests of several packages share.
//
// Derivatives and Gradient compare derivatives with finite differences: under the build tag f64 in double precision,
// which is the real test; in float32 they still catch wrong formulas. Announced and Known find parts that are in no
// table, or without known values:
//
//	testkit.Announced(t, upper.Criteria, nil, "Of")
//	testkit.Known(t, upper.Criteria, known, check)
//
// Folder, Same, Benchmark and HoldOut are for readers and writers of data sets.
package testkit
