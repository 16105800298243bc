package codec

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Type is the type of the numbers of a tensor.
type Type string

// The supported types.
const (
	F32 Type = "F32"
	F64 Type = "F64"
	U8  Type = "U8" // bytes, such as a text
)

// size returns the number of bytes of one number; 0 for an unknown type.
func (t Type) size() int {
	switch t {
	case F32:
		return 4
	case F64:
		return 8
	case U8:
		return 1
	}
	return 0
}

// Real is a number that a tensor can hold.
type Real interface{ float32 | float64 }

// Tensor is a named array of numbers, row by row.
type Tensor struct {
	Name  string
	Type  Type
	Shape []int
	Data  []byte // little endian
}

// AppendValues appends numbers to b as stored in a tensor.
func AppendValues[T Real](b []byte, values []T) []byte {
	single := typeOf[T]() == F32
	for _, v := range values {
		if single {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		} else {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(v)))
		}
	}
	return b
}

// NewTensor returns a tensor with a copy of values, whose length must be the product of shape.
func NewTensor[T Real](name string, shape []int, values []T) Tensor {
	if n, ok := count(shape); !ok || n != len(values) {
		panic(fmt.Sprintf("safetensors: %d numbers for %s of shape %v", len(values), name, shape))
	}
	t := Tensor{Name: name, Type: typeOf[T](), Shape: shape}
	t.Data = AppendValues(make([]byte, 0, len(values)*t.Type.size()), values)
	return t
}

// TextTensor returns a tensor of the bytes of a text.
func TextTensor(name string, text []byte) Tensor {
	return Tensor{Name: name, Type: U8, Shape: []int{len(text)}, Data: text}
}

// typeOf returns the Type of T.
func typeOf[T Real]() Type {
	var v T
	if _, ok := any(v).(float32); ok {
		return F32
	}
	return F64
}

// Values returns the numbers of t as T, rounded if T is the narrower type.
func Values[T Real](t Tensor) []T {
	out := make([]T, len(t.Data)/t.Type.size())
	fill(out, t.Type, t.Data)
	return out
}

// fill decodes numbers of a type.
func fill[T Real](out []T, of Type, data []byte) {
	for i := range out {
		switch of {
		case F32:
			out[i] = T(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
		case F64:
			out[i] = T(math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])))
		case U8:
			out[i] = T(data[i])
		}
	}
}

// count returns the product of shape; ok is false if a size is negative or the product is beyond what a file can hold.
func count(shape []int) (n int, ok bool) {
	n = 1
	for _, s := range shape {
		if s < 0 || s > math.MaxInt32 || (s > 0 && n > math.MaxInt64/16/s) {
			return 0, false
		}
		n *= s
	}
	return n, true
}
