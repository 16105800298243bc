// Package tfevents writes the event files that TensorBoard shows, and reads them back.
//
// A file is a list of records, all numbers little endian:
//
//	uint64 length   uint32 masked CRC-32C of these 8 bytes   data   uint32 masked CRC-32C of data
//
// Data is the protocol buffer Event {wall_time 1 double, step 2 int64, file_version 3 string, summary 5 {value 1 {tag
// 1, simple_value 2 float}}}. The first record has the version "brain.Event:2".
package tfevents
