package native

import (
	"encoding/binary"
	"hash/crc32"
	"unsafe"

	"github.com/bloomgml/bloom/mat"
)

// Overview: the native format, files named *.bloom. Numbers are little endian.
//
//	offset  bytes
//	     0      8  magic: 0x89 "bloom" CR LF, which a transfer as text destroys
//	     8      4  version
//	    12      4  number of sections
//	    16      8  length of the file
//	    24      4  bytes of a real number: 4, or 8 from a build with the tag f64
//	    28      4  CRC-32C of all bytes before the first section, with this field zero
//	    32     32  zero
//	    64   32 k  the section table
//
// An entry of the table is
//
//	kind u32, part u32, item u32, checksum u32, offset u64, length u64
//
// Kind says what a section holds, part whose it is (0 the set, 1 its twin), item which feature
// matrix or split it belongs to. Sections stand in the order of the table, each at the next multiple
// of 64 bytes, with zeros between; any other place is an error, so sections cannot overlap. The
// checksum of a section is the CRC-32C of the CRC-32Cs of its blocks of 1 MiB: blocks are checked
// on all cores. Together every byte of a file is covered, and Open checks all of it.
//
// Edges and compressed rows are stored as package graph keeps them, so that a mapped file is the
// graph and nothing is sorted or copied. Names, counts and the schema are JSON, in section meta.
const (
	magic       = "\x89bloom\r\n"
	version     = 1
	headerBytes = 64
	entryBytes  = 32
	align       = 64
	blockBytes  = 1 << 20
	maxSections = 1 << 24
	maxParts    = 8 // a set, its twin, and room
	realBytes   = int(unsafe.Sizeof(mat.Real(0)))
)

// sectionKind is what a section holds. Numbers are part of the format: new ones go to the end.
type sectionKind uint32

const (
	sectionMeta          sectionKind = 1 + iota // JSON
	sectionSources                              // i32 per edge
	sectionTargets                              // i32 per edge
	sectionRelation                             // i32 per edge
	sectionWeights                              // real per edge
	sectionNodeTypes                            // i32 per node
	sectionOrigins                              // i32 per edge
	sectionInPtr                                // i64 per node and one
	sectionInIdx                                // i32 per edge
	sectionInEdge                               // i32 per edge
	sectionOutPtr                               // likewise
	sectionOutIdx                               //
	sectionOutEdge                              //
	sectionAdjacencyPtr                         // likewise
	sectionAdjacencyIdx                         //
	sectionAdjacencyEdge                        //
	sectionIDEnds                               // i64 per node
	sectionIDBytes                              // bytes
	sectionFeaturePtr                           // i64 per row and one; item is the node type
	sectionFeatureIdx                           // i32 per nonzero
	sectionFeatureValues                        // real per nonzero, or per entry of a dense matrix
	sectionClasses                              // i32 per node
	sectionTrain                                // i32 per node of the split; item is the split
	sectionValid                                //
	sectionTest                                 //
	sectionValidTriples                         // three i32 per triple; item 1 is the false ones
	sectionTestTriples                          //
	sectionCorrupted                            // i32 per node
	// i64 per row of a raw column; item counts the columns of nodes, then of edges
	sectionRawEnds
	sectionRawBytes     // bytes
	sectionTimes        // i64 per node
	sectionValues       // real per node and class of a set, or per node that has a number
	sectionEdgeFeatures // real per edge and feature of it
	sectionRowSources   // i32 per row of a table of edges
	sectionRowTargets   //
	sectionRowRelation  //
	sectionRowValues    // f64 per row; item is the column
	sectionRawNumbers   // f32 per row of a raw column that bloom made, instead of texts
	lastSection         = sectionRawNumbers
)

type sectionKey struct {
	kind       sectionKind
	part, item uint32
}

// section is an entry of the table.
type section struct {
	sectionKey
	checksum       uint32
	offset, length uint64
}

// encode writes the entry into the first entryBytes of b.
func (s section) encode(b []byte) {
	le := binary.LittleEndian
	le.PutUint32(b, uint32(s.kind))
	le.PutUint32(b[4:], s.part)
	le.PutUint32(b[8:], s.item)
	le.PutUint32(b[12:], s.checksum)
	le.PutUint64(b[16:], s.offset)
	le.PutUint64(b[24:], s.length)
}

// sectionAt reads the entry in the first entryBytes of b.
func sectionAt(b []byte) section {
	le := binary.LittleEndian
	key := sectionKey{sectionKind(le.Uint32(b)), le.Uint32(b[4:]), le.Uint32(b[8:])}
	return section{key, le.Uint32(b[12:]), le.Uint64(b[16:]), le.Uint64(b[24:])}
}

// aligned returns the next multiple of align.
func aligned(offset uint64) uint64 { return (offset + align - 1) &^ (align - 1) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frontChecksum returns the CRC-32C of what precedes the sections, with its own field taken as zero.
func frontChecksum(front []byte) uint32 {
	sum := crc32.Update(0, castagnoli, front[:28])
	sum = crc32.Update(sum, castagnoli, []byte{0, 0, 0, 0})
	return crc32.Update(sum, castagnoli, front[32:])
}

// checksum returns the CRC-32C of the CRC-32Cs of the blocks of b.
func checksum(b []byte) uint32 {
	sums := make([]byte, 0, 4*(len(b)/blockBytes+1))
	for len(b) > 0 {
		n := min(len(b), blockBytes)
		sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(b[:n], castagnoli))
		b = b[n:]
	}
	return crc32.Checksum(sums, castagnoli)
}
