package parts

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"

	"github.com/bloomgml/bloom/internal/files"
)

// Overview. A record is a file of lists of numbers that is there as a whole or not at all, and says when it was
// changed.
//
//	err := parts.Write("part-00003", []int32{1, 2}, []float32{0.5})
//	err = parts.Read("part-00003", &index, &rows)
//
// Numbers are little endian: a line that names the format, every list as its length, u64, and its entries, and in the
// end the CRC-32C of everything before.

const magic = "bloom record 1\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write writes lists of int32, int64 or float32. Of two writers of one path either wins, with a whole file.
func Write(path string, lists ...any) error { return write(path, files.WriteOptions{}, lists) }

// Pass is Write of what need not outlive the machine: it does not wait for the disk.
func Pass(path string, lists ...any) error {
	return write(path, files.WriteOptions{Passing: true}, lists)
}

func write(path string, o files.WriteOptions, lists []any) error {
	size := len(magic) + 4
	for _, x := range lists {
		size += 8 + sizeOf(x)
	}
	b := append(make([]byte, 0, size), magic...)
	for _, x := range lists {
		switch x := x.(type) {
		case []int32:
			b = appendList(b, x)
		case []int64:
			b = appendList(b, x)
		case []float32:
			b = appendList(b, x)
		default:
			return files.Errorf(path, "a list of %T cannot be written", x)
		}
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return files.Replace(path, o, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// appendList appends a list to b.
func appendList[T number](b []byte, x []T) []byte {
	return Append(binary.LittleEndian.AppendUint64(b, uint64(len(x))), x)
}

// sizeOf returns the number of bytes of the entries of a list.
func sizeOf(x any) int {
	switch x := x.(type) {
	case []int32:
		return 4 * len(x)
	case []int64:
		return 8 * len(x)
	case []float32:
		return 4 * len(x)
	}
	panic("record: a list of another type")
}

// Read reads lists into pointers to what was written. The error is a *files.Error.
func Read(path string, lists ...any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return files.Because(path, err)
	}
	end := len(b) - 4
	if end < len(magic) || string(b[:len(magic)]) != magic {
		return files.Errorf(path, "%d bytes that do not begin with %q", len(b), magic)
	}
	if got, want := crc32.Checksum(b[:end], castagnoli), binary.LittleEndian.Uint32(b[end:]); got != want {
		return files.Errorf(path, "its checksum is %08x, not %08x: the file is damaged", got, want)
	}
	b = b[len(magic):end]
	for i, x := range lists {
		if b, err = decode(b, x); err != nil {
			return files.Errorf(path, "list %d: %v", i, err)
		}
	}
	if len(b) > 0 {
		return files.Errorf(path, "%d bytes after the last list", len(b))
	}
	return nil
}

// decode takes one list from the front of b.
func decode(b []byte, x any) ([]byte, error) {
	switch x := x.(type) {
	case *[]int32:
		return takeList(b, 4, x)
	case *[]int64:
		return takeList(b, 8, x)
	case *[]float32:
		return takeList(b, 4, x)
	}
	panic("record: a list of another type")
}

// takeList takes a list whose entries have the given number of bytes.
func takeList[T number](b []byte, size uint64, x *[]T) ([]byte, error) {
	if len(b) < 8 {
		return nil, io.ErrUnexpectedEOF
	}
	n, b := binary.LittleEndian.Uint64(b), b[8:]
	if n > uint64(len(b))/size {
		return nil, io.ErrUnexpectedEOF
	}
	*x = make([]T, n)
	return Decode(*x, b), nil
}
