package codec

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
)

// version is the first record of every file.
const version = "brain.Event:2"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mask returns the checksum as the format stores it, so that checksums of data that contains checksums differ.
func mask(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// Scalar is one number under a tag; slashes in tags become groups.
type Scalar struct {
	Tag   string
	Value float64
}

// EventWriter appends events to a file. After the first few it allocates nothing.
type EventWriter struct {
	w                  io.Writer
	value, data, frame []byte
}

// NewEventWriter starts a file at the given time, in seconds since 1970.
func NewEventWriter(w io.Writer, wall float64) (*EventWriter, error) {
	x := &EventWriter{w: w}
	x.startEvent(wall, 0)
	x.data = appendBytes(x.data, 3, []byte(version))
	return x, x.end()
}

// Scalars writes the numbers of one step, taken at the given time.
func (x *EventWriter) Scalars(wall float64, step int64, values []Scalar) error {
	x.startEvent(wall, step)
	x.value = x.value[:0]
	for _, v := range values {
		// Value {tag 1, simple_value 2 float}, itself field 1 of the summary
		length := (bits.Len(uint(len(v.Tag))|1) + 6) / 7 // bytes of the length of the tag
		size := 1 + length + len(v.Tag) + 5
		x.value = binary.AppendUvarint(append(x.value, 1<<3|2), uint64(size))
		x.value = binary.AppendUvarint(append(x.value, 1<<3|2), uint64(len(v.Tag)))
		x.value = append(append(x.value, v.Tag...), 2<<3|5)
		x.value = binary.LittleEndian.AppendUint32(x.value, math.Float32bits(float32(v.Value)))
	}
	x.data = appendBytes(x.data, 5, x.value)
	return x.end()
}

func (x *EventWriter) startEvent(wall float64, step int64) {
	x.data = binary.LittleEndian.AppendUint64(append(x.data[:0], 1<<3|1), math.Float64bits(wall))
	if step != 0 {
		x.data = binary.AppendUvarint(append(x.data, 2<<3), uint64(step))
	}
}

func (x *EventWriter) end() error {
	x.frame = binary.LittleEndian.AppendUint64(x.frame[:0], uint64(len(x.data)))
	x.frame = binary.LittleEndian.AppendUint32(x.frame, mask(x.frame[:8]))
	x.frame = append(x.frame, x.data...)
	x.frame = binary.LittleEndian.AppendUint32(x.frame, mask(x.data))
	_, err := x.w.Write(x.frame)
	return err
}

// appendBytes appends a field that is a list of bytes.
func appendBytes(to []byte, field byte, b []byte) []byte {
	return append(binary.AppendUvarint(append(to, field<<3|2), uint64(len(b))), b...)
}
