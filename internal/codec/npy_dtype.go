package codec

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is what the elements of an array are. The zero Kind is invalid.
type Kind uint8

// The kinds of elements.
const (
	Bool  Kind = iota + 1 // 0 or 1, one byte
	Int                   // signed, 1, 2, 4 or 8 bytes
	Uint                  // unsigned, 1, 2, 4 or 8 bytes
	Float                 // IEEE 754, 2, 4 or 8 bytes
	Bytes                 // a string of bytes, padded with zeros
	Text                  // a string of code points of 4 bytes each, padded with zeros
)

// DType is the type of an element.
type DType struct {
	Kind Kind
	Size int  // bytes of one element
	Big  bool // the most significant byte comes first
}

// letters are the kinds as NumPy writes them, and their valid sizes; no sizes for strings.
var letters = map[byte]struct {
	kind  Kind
	sizes string
}{
	'b': {Bool, "1"}, '?': {Bool, "1"},
	'i': {Int, "1248"}, 'u': {Uint, "1248"}, 'f': {Float, "248"},
	'S': {Bytes, ""}, 'a': {Bytes, ""}, 'U': {Text, ""},
}

// refused names the NumPy kinds that this package does not read.
var refused = map[byte]string{
	'O': "Python objects", 'c': "complex numbers", 'V': "raw bytes", 'M': "dates", 'm': "time spans",
}

// ParseDType reads a type as NumPy writes it, such as "<f4", "|b1" or "<U7": byte order, kind,
// size. The byte order may be left out, as in a pickle.
func ParseDType(text string) (DType, error) {
	fail := func(why string) (DType, error) {
		return DType{}, fmt.Errorf("element type %q: %s", text, why)
	}
	rest, big := text, false
	if rest != "" && (rest[0] == '<' || rest[0] == '>' || rest[0] == '|' || rest[0] == '=') {
		big = rest[0] == '>'
		rest = rest[1:]
	}
	if rest == "?" {
		rest = "?1"
	}
	if rest == "" {
		return fail("it is empty")
	}
	if what, ok := refused[rest[0]]; ok {
		return fail(what + " are not read")
	}
	letter, ok := letters[rest[0]]
	if !ok {
		return fail("unknown")
	}
	n, err := strconv.ParseUint(rest[1:], 10, 31)
	if err != nil || n == 0 {
		return fail("its size is not a number from 1 to 2³¹−1")
	}
	if letter.sizes != "" && (n > 8 || !strings.Contains(letter.sizes, strconv.Itoa(int(n)))) {
		return fail("no such size")
	}
	d := DType{Kind: letter.kind, Size: int(n), Big: big}
	if d.Kind == Text {
		d.Size *= 4
	}
	return d, nil
}

// String returns d as NumPy writes it, such as "<f4".
func (d DType) String() string {
	if d.Kind == 0 {
		return "none"
	}
	order, size := "<", d.Size
	switch {
	case d.Big:
		order = ">"
	case d.Size == 1 || d.Kind == Bytes:
		order = "|"
	}
	if d.Kind == Text {
		size /= 4
	}
	return order + string(" biufSU"[d.Kind]) + strconv.Itoa(size)
}
