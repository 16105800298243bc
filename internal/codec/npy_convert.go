package codec

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

func (d DType) byteOrder() binary.ByteOrder {
	if d.Big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// Floats returns the elements of a as numbers, row by row; bool is 0 and 1. Large integers and float64 are rounded if T
// is float32.
func Floats[T float32 | float64](a *Array) ([]T, error) {
	v, err := allocate[T](a)
	if err != nil {
		return nil, err
	}
	order, b := a.DType.byteOrder(), a.Data
	switch d := a.DType; {
	case d == DType{Float, 4, false}: // by far the most frequent
		for i := range v {
			v[i] = T(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
	case d.Kind == Float && d.Size == 2:
		for i := range v {
			v[i] = T(Half(order.Uint16(b[2*i:])))
		}
	case d.Kind == Float && d.Size == 4:
		for i := range v {
			v[i] = T(math.Float32frombits(order.Uint32(b[4*i:])))
		}
	case d.Kind == Float:
		for i := range v {
			v[i] = T(math.Float64frombits(order.Uint64(b[8*i:])))
		}
	case d.Kind == Bool || d.Kind == Int:
		for i := range v {
			v[i] = T(int64(a.integer(i)))
		}
	case d.Kind == Uint:
		for i := range v {
			v[i] = T(a.integer(i))
		}
	default:
		return nil, a.isNo("numbers")
	}
	return rowMajor(a, v), nil
}

// integer returns the element at place i of Data, of kind Bool, Int or Uint, with its sign extended.
func (a *Array) integer(i int) uint64 {
	d, order := a.DType, a.DType.byteOrder()
	b := a.Data[i*d.Size : (i+1)*d.Size]
	var u uint64
	switch d.Size {
	case 1:
		u = uint64(b[0])
	case 2:
		u = uint64(order.Uint16(b))
	case 4:
		u = uint64(order.Uint32(b))
	default:
		u = order.Uint64(b)
	}
	if d.Kind == Int {
		shift := 64 - 8*d.Size
		u = uint64(int64(u<<shift) >> shift)
	}
	return u
}

// Ints returns the elements of a as integers, row by row. It accepts floats that are whole, since label files have
// them; other floats, and numbers beyond int64, are errors.
func (a *Array) Ints() ([]int64, error) {
	if a.DType.Kind < Bool || a.DType.Kind > Float {
		return nil, a.isNo("integers")
	}
	v, err := allocate[int64](a)
	if err != nil {
		return nil, err
	}
	if a.DType.Kind == Float {
		floats, err := Floats[float64](a)
		if err != nil {
			return nil, err
		}
		for i, x := range floats {
			if v[i] = int64(x); float64(v[i]) != x || math.Abs(x) > 1<<53 {
				return nil, a.Errorf(i, "element %d is %v, which is not a whole number", i, x)
			}
		}
		return v, nil
	}
	for i := range v {
		v[i] = int64(a.integer(i))
	}
	v = rowMajor(a, v)
	for i, n := range v {
		if n < 0 && a.DType.Kind == Uint {
			return nil, a.Errorf(i, "element %d is %d, which is more than an int64 holds", i, uint64(n))
		}
	}
	return v, nil
}

// Bools returns the elements of a, row by row: bool, or integers that are 0 or 1.
func (a *Array) Bools() ([]bool, error) {
	if a.DType.Kind < Bool || a.DType.Kind > Uint {
		return nil, a.isNo("flags")
	}
	v, err := allocate[bool](a)
	if err != nil {
		return nil, err
	}
	for i := range v {
		u := a.integer(i)
		if v[i] = u == 1; u > 1 {
			return nil, files.ErrorAtByte(a.file, a.start+int64(i*a.DType.Size), "a flag is %d, neither 0 nor 1",
				int64(u))
		}
	}
	return rowMajor(a, v), nil
}

// Strings returns the elements of a, row by row, without the zeros that pad them.
func (a *Array) Strings() ([]string, error) {
	d := a.DType
	if d.Kind != Bytes && d.Kind != Text {
		return nil, a.isNo("strings")
	}
	if err := a.budget.Take(2*int64(len(a.Data)), a.file+": texts"); err != nil {
		return nil, err
	}
	v, err := allocate[string](a)
	if err != nil {
		return nil, err
	}
	for i := range v {
		b := a.Data[i*d.Size : (i+1)*d.Size]
		if d.Kind == Text {
			v[i] = text(b, d.byteOrder())
		} else {
			v[i] = strings.TrimRight(string(b), "\x00")
		}
	}
	return rowMajor(a, v), nil
}

// text returns the string of 4-byte code points in b; invalid code points become U+FFFD.
func text(b []byte, order binary.ByteOrder) string {
	var s strings.Builder
	for ; len(b) > 0; b = b[4:] {
		s.WriteRune(rune(order.Uint32(b)))
	}
	return strings.TrimRight(s.String(), "\x00")
}

// isNo returns the error that the type of a is not the requested one.
func (a *Array) isNo(what string) error {
	return files.ErrorAtByte(a.file, a.start, "elements of type %s are not %s", a.DType, what)
}

// Half converts a float16 to float32: sign, 5 bits of exponent, 10 of fraction.
func Half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0: // zero, or below the normal numbers: fraction·2⁻²⁴
		x := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(x) | sign)
	case 31: // infinity, or not a number
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

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
	_, err = w.Write(appendHeader(nil, d, shape))
	for part := range slices.Chunk(data, 1<<13) {
		if err == nil {
			err = binary.Write(w, binary.LittleEndian, part)
		}
	}
	if err != nil {
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
