package files

import (
	"bytes"
	"strconv"
)

// ScanIDs calls do for every line of a text file, after parsing len(dst) numbers, between tabs or blanks, into dst.
// They must not be negative and must be below 2³¹. Empty lines are skipped; dst is reused.
func ScanIDs(path string, b *Budget, dst []int32, do func(line int) error) error {
	return Scan(path, b, func(line int, text []byte) error {
		fields := bytes.Fields(text)
		if len(fields) == 0 {
			return nil
		}
		if len(fields) != len(dst) {
			return ErrorAt(path, line, "%d columns, want %d: %s", len(fields), len(dst), Excerpt(text))
		}
		for i, field := range fields {
			n, err := strconv.ParseUint(string(field), 10, 31)
			if err != nil {
				return ErrorAt(path, line, "%s is not a number from 0 to 2³¹−1", Excerpt(field))
			}
			dst[i] = int32(n)
		}
		return do(line)
	})
}
