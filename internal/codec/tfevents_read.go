package codec

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Event is one record of a file.
type Event struct {
	Wall    float64
	Step    int64
	Version string // of the first record only
	Scalars []Scalar
}

// ReadEvents decodes a file. It skips fields that Writer does not write.
func ReadEvents(b []byte) ([]Event, error) {
	var events []Event
	for at := 0; at < len(b); {
		rest := b[at:]
		if len(rest) < 12 || binary.LittleEndian.Uint32(rest[8:]) != mask(rest[:8]) {
			return nil, fmt.Errorf("tfevents: byte %d: no record begins here", at)
		}
		n := binary.LittleEndian.Uint64(rest)
		if n > uint64(len(rest)-12) || uint64(len(rest)-12)-n < 4 {
			return nil, fmt.Errorf("tfevents: byte %d: a record of %d bytes is cut off", at, n)
		}
		data := rest[12 : 12+n]
		if binary.LittleEndian.Uint32(rest[12+n:]) != mask(data) {
			return nil, fmt.Errorf("tfevents: byte %d: wrong checksum", at+12)
		}
		e, err := event(data)
		if err != nil {
			return nil, fmt.Errorf("tfevents: byte %d: %w", at, err)
		}
		events = append(events, e)
		at += 16 + int(n)
	}
	return events, nil
}

// event decodes an Event.
func event(b []byte) (e Event, err error) {
	err = fields(b, func(number uint64, bits uint64, data []byte) error {
		switch number {
		case 1:
			e.Wall = math.Float64frombits(bits)
		case 2:
			e.Step = int64(bits)
		case 3:
			e.Version = string(data)
		case 5:
			return fields(data, func(_, _ uint64, value []byte) error {
				var s Scalar
				err := fields(value, func(number, bits uint64, data []byte) error {
					switch number {
					case 1:
						s.Tag = string(data)
					case 2:
						s.Value = float64(math.Float32frombits(uint32(bits)))
					}
					return nil
				})
				e.Scalars = append(e.Scalars, s)
				return err
			})
		}
		return nil
	})
	return e, err
}

// fields calls f for every field of a message: bits for numbers, data for lists of bytes.
func fields(b []byte, f func(number, bits uint64, data []byte) error) error {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 {
			return fmt.Errorf("a field without a key")
		}
		b = b[n:]
		var bits uint64
		var data []byte
		switch kind := key & 7; {
		case kind == 0:
			if bits, n = binary.Uvarint(b); n <= 0 {
				return fmt.Errorf("field %d: no number", key>>3)
			}
			b = b[n:]
		case kind == 1 && len(b) >= 8:
			bits, b = binary.LittleEndian.Uint64(b), b[8:]
		case kind == 5 && len(b) >= 4:
			bits, b = uint64(binary.LittleEndian.Uint32(b)), b[4:]
		case kind == 2:
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return fmt.Errorf("field %d: %d bytes are cut off", key>>3, size)
			}
			data, b = b[n:n+int(size)], b[n+int(size):]
		default:
			return fmt.Errorf("field %d has the unknown wire type %d", key>>3, kind)
		}
		if err := f(key>>3, bits, data); err != nil {
			return err
		}
	}
	return nil
}
