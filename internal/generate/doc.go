// Package generate makes data sets from nothing but a few numbers.
//
//	d, ok, err := generate.Make("csbm:nodes=500,seed=3")
package generate
