package table

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/bloomgml/bloom/internal/codec"
)

// parquetType says how the values of a column are written as text.
type parquetType struct {
	kind     parquet.Kind
	unsigned bool
	date     bool
	uuid     bool
	half     bool          // a number of 16 bits
	null     bool          // without values
	unit     time.Duration // of a time stamp, 0 if it is not one
	decimal  bool
	scale    int // digits behind the point of a decimal number
	list     bool
}

// cell appends the text of the values of one cell.
func (p parquetType) cell(dst []byte, values []parquet.Value) ([]byte, error) {
	if p.list {
		return p.appendList(dst, values)
	}
	if len(values) != 1 {
		return dst, fmt.Errorf("%d values in one cell", len(values))
	}
	if values[0].IsNull() {
		return dst, nil
	}
	return p.append(dst, values[0])
}

// appendList appends a JSON list, nothing for an empty one. A NaN is null.
func (p parquetType) appendList(dst []byte, values []parquet.Value) ([]byte, error) {
	if len(values) == 1 && values[0].IsNull() {
		return dst, nil
	}
	before := byte('[')
	for _, v := range values {
		dst, before = append(dst, before), ','
		start := len(dst)
		if !v.IsNull() {
			var err error
			if dst, err = p.append(dst, v); err != nil {
				return dst, err
			}
		}
		switch {
		case len(dst) == start && (v.IsNull() || p.isNumber()):
			dst = append(dst, "null"...)
		case !p.isNumber():
			text, err := json.Marshal(string(dst[start:]))
			if err != nil {
				return dst, err
			}
			dst = append(dst[:start], text...)
		}
	}
	return append(dst, ']'), nil
}

// isNumber reports whether the text of a value is a number, or true or false, in JSON.
func (p parquetType) isNumber() bool {
	switch p.kind {
	case parquet.Boolean, parquet.Float, parquet.Double:
		return true
	case parquet.Int32, parquet.Int64:
		return !p.date && p.unit == 0
	}
	return p.decimal || p.half
}

// newParquetType returns how values of type t are written; e is what the footer says about it, not all of which the
// library knows.
func newParquetType(t parquet.Type, e *format.SchemaElement) parquetType {
	p := parquetType{kind: t.Kind()}
	if l := e.LogicalType; l != nil {
		p.half = l.Float16 != nil && p.kind == parquet.FixedLenByteArray && t.Length() == 2
		p.null = l.Unknown != nil
	}
	l := t.LogicalType()
	if l == nil {
		return p
	}
	p.unsigned = l.Integer != nil && !l.Integer.IsSigned
	p.date = l.Date != nil && p.kind == parquet.Int32
	p.uuid = l.UUID != nil && p.kind == parquet.FixedLenByteArray
	if l.Timestamp != nil && p.kind == parquet.Int64 {
		switch u := l.Timestamp.Unit; {
		case u.Millis != nil:
			p.unit = time.Millisecond
		case u.Micros != nil:
			p.unit = time.Microsecond
		case u.Nanos != nil:
			p.unit = time.Nanosecond
		}
	}
	if l.Decimal != nil {
		p.decimal, p.scale = true, int(l.Decimal.Scale)
	}
	return p
}

// append appends the text of v, which is not null.
func (p parquetType) append(dst []byte, v parquet.Value) ([]byte, error) {
	switch {
	case p.decimal:
		return appendDecimal(dst, p.integer(v), p.scale), nil
	case p.date:
		return time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(dst, time.DateOnly), nil
	case p.unit != 0:
		t := time.Unix(0, v.Int64())
		switch p.unit {
		case time.Millisecond:
			t = time.UnixMilli(v.Int64())
		case time.Microsecond:
			t = time.UnixMicro(v.Int64())
		}
		return t.UTC().AppendFormat(dst, time.RFC3339Nano), nil
	case p.half && len(v.ByteArray()) == 2:
		return appendFloat(dst, float64(codec.Half(binary.LittleEndian.Uint16(v.ByteArray()))), 32), nil
	case p.uuid && len(v.ByteArray()) == 16:
		b := v.ByteArray()
		return fmt.Appendf(dst, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
	}
	switch p.kind {
	case parquet.Boolean:
		return strconv.AppendBool(dst, v.Boolean()), nil
	case parquet.Int32:
		if p.unsigned {
			return strconv.AppendUint(dst, uint64(v.Uint32()), 10), nil
		}
		return strconv.AppendInt(dst, int64(v.Int32()), 10), nil
	case parquet.Int64:
		if p.unsigned {
			return strconv.AppendUint(dst, v.Uint64(), 10), nil
		}
		return strconv.AppendInt(dst, v.Int64(), 10), nil
	case parquet.Float:
		return appendFloat(dst, float64(v.Float()), 32), nil
	case parquet.Double:
		return appendFloat(dst, v.Double(), 64), nil
	case parquet.Int96:
		return append(dst, v.String()...), nil
	}
	return appendText(dst, v.ByteArray())
}

// integer returns the digits of a decimal number.
func (p parquetType) integer(v parquet.Value) *big.Int {
	switch p.kind {
	case parquet.Int32:
		return big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		return big.NewInt(v.Int64())
	}
	b := v.ByteArray() // two's complement, the highest byte first
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return x
}

const maxScale = 1000 // digits behind the point

// appendDecimal appends x/10^scale.
func appendDecimal(dst []byte, x *big.Int, scale int) []byte {
	if scale <= 0 || scale > maxScale {
		return x.Append(dst, 10)
	}
	if x.Sign() < 0 {
		dst, x = append(dst, '-'), new(big.Int).Neg(x)
	}
	digits := x.String()
	for len(digits) <= scale {
		digits = "0" + digits
	}
	at := len(digits) - scale
	return append(append(append(dst, digits[:at]...), '.'), digits[at:]...)
}

// appendFloat appends the shortest text that reads as x again, nothing for NaN, which means missing.
func appendFloat(dst []byte, x float64, bits int) []byte {
	if math.IsNaN(x) {
		return dst
	}
	if a := math.Abs(x); a == 0 || a >= 1e-5 && a < 1e15 {
		return strconv.AppendFloat(dst, x, 'f', -1, bits)
	}
	return strconv.AppendFloat(dst, x, 'g', -1, bits)
}
