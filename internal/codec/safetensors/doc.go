// Package safetensors writes and reads the file format of that name: named matrices that every other system can load,
// with nothing in it that can run.
//
//	uint64, little endian   N, the length of the header
//	N bytes                 JSON {"name": {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {…}}
//	the rest                the numbers, little endian, without holes
//
// The bytes are a function of the contents: names are sorted, and the header is filled with spaces to a multiple of 8.
package safetensors
