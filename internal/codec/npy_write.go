package codec

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// WriteNPY writes an array in version 1.0 of the format: little-endian, row by row. The length of data must be the
// product of shape.
func WriteNPY[T float32 | float64 | int64](w io.Writer, shape []int, data []T) error {
	d := DType{Float, 8, false}
	switch any(data).(type) {
	case []float32:
		d.Size = 4
	case []int64:
		d.Kind = Int
	}
	size, err := byteSize(d, shape)
	if err != nil {
		return fmt.Errorf("writing .npy: %w", err)
	}
	if size != int64(len(data)*d.Size) {
		return fmt.Errorf("writing .npy: shape %v for %d numbers", shape, len(data))
	}
	b := bufio.NewWriterSize(w, 64<<10)
	b.Write(appendHeader(nil, d, shape)) // the writer keeps its first error for Flush
	for _, x := range data {
		b.Write(appendNumber(b.AvailableBuffer(), x))
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing .npy: %w", err)
	}
	return nil
}

// appendHeader appends a header whose end is a multiple of 64 bytes, so the elements of a memory-mapped file are
// aligned.
func appendHeader(b []byte, d DType, shape []int) []byte {
	dims := make([]string, len(shape))
	for i, n := range shape {
		dims[i] = strconv.Itoa(n)
	}
	tuple := strings.Join(dims, ", ")
	if len(shape) == 1 {
		tuple += ","
	}
	literal := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", d, tuple)
	const before, after = len(magic) + 4, 1 // version and length; the newline
	padding := -(before + len(literal) + after) & 63
	b = append(b, magic+"\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(literal)+padding+after))
	return append(b, literal+strings.Repeat(" ", padding)+"\n"...)
}

// appendNumber appends the bytes of x.
func appendNumber[T float32 | float64 | int64](b []byte, x T) []byte {
	switch x := any(x).(type) {
	case float32:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	case float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	case int64:
		return binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}
