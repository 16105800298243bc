// Package native is the .bloom file: a data set as arrays that are mapped into memory, verified to the last byte.
//
//	err := native.Write("team.bloom", d)
//	d, err := native.Read("team.bloom")       // d.Close releases the file
package native
