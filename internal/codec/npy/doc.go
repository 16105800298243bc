// Package npy reads and writes the array files of NumPy: .npy, one array, and .npz, a zip archive
// of them.
//
//	a, err := npy.Read("labels.npy", npy.Options{})
//	class, err := a.Ints()
//
//	z, err := npy.Open("minesweeper.npz", npy.Options{})
//	defer z.Close()
//	x, err := z.Read("node_features")
//
// Versions 1.0, 2.0 and 3.0 of the format are read, arrays in C and in Fortran order, of any number
// of dimensions, with elements that are bool, int8 to int64, uint8 to uint64, float16 to float64,
// byte strings or texts, in either byte order. Complex numbers, dates, records and Python objects
// are refused: the last are pickles, which can run code.
//
// A file is not believed. No memory is taken for a number in a header before it is known that the
// file can hold as much; see Options for the bound on what is then read.
//
// Chosen: written by hand. The one library there is, sbinet/npyio (0.6.0, of January 2022),
// allocates whatever a header claims, fills what a truncated file lacks with zeros without a word,
// panics on headers that are cut short, reads no version 3.0 and gives its slices in the order of
// the file, Fortran or not.
package npy
