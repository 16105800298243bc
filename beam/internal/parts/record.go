package parts

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"reflect"

	"github.com/bloomgml/bloom/internal/files"
)

// Overview. A record is a file of lists of numbers that is there as a whole or not at all, and says when it was
// changed.
//
//	err := parts.Write("part-00003", []int32{1, 2}, []float32{0.5})
//	err = parts.Read("part-00003", &index, &rows)
//
// Numbers are little endian: a line that names the format, every list as the length of its numbers in bytes, u64, and
// the numbers, and in the end the CRC-32C of everything before.

const magic = "bloom record 2\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write writes lists of int32, int64 or float32. Of two writers of one path either wins, with a whole file.
func Write(path string, lists ...any) error { return write(path, files.WriteOptions{}, lists) }

// Pass is Write of what need not outlive the machine: it does not wait for the disk.
func Pass(path string, lists ...any) error {
	return write(path, files.WriteOptions{Passing: true}, lists)
}

func write(path string, o files.WriteOptions, lists []any) (err error) {
	b := []byte(magic)
	for _, x := range lists {
		b = binary.LittleEndian.AppendUint64(b, uint64(binary.Size(x)))
		if b, err = binary.Append(b, binary.LittleEndian, x); err != nil {
			return files.Because(path, err)
		}
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return files.Replace(path, o, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
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
		if len(b) < 8 || binary.LittleEndian.Uint64(b) > uint64(len(b)-8) {
			return files.Errorf(path, "list %d is missing", i)
		}
		n := int(binary.LittleEndian.Uint64(b))
		to := reflect.ValueOf(x).Elem()
		list := reflect.MakeSlice(to.Type(), n/int(to.Type().Elem().Size()), n/int(to.Type().Elem().Size()))
		if _, err := binary.Decode(b[8:8+n], binary.LittleEndian, list.Interface()); err != nil {
			return files.Because(path, err)
		}
		to.Set(list)
		b = b[8+n:]
	}
	if len(b) > 0 {
		return files.Errorf(path, "%d bytes after the last list", len(b))
	}
	return nil
}
