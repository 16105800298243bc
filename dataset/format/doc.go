// Package format reads data sets as they were published. What a file or a folder is, is recognised from its content.
//
//	d, err := format.Open("planetoid/ind.cora.graph")
package format
