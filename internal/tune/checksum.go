package tune

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strings"
)

// sumKey is the last key of a line that we write: the CRC-32C of the line without it. Optuna looks at the keys that it
// knows and at no others.
const sumKey = "bloom_crc32c"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumEnding is what a checksum looks like at the end of a line.
func sumEnding(body []byte) string {
	return fmt.Sprintf(`,"%s":"%08x"}`, sumKey, crc32.Checksum(body, castagnoli))
}

// summed is a JSON object with its checksum.
func summed(object []byte) []byte {
	return append(object[:len(object)-1:len(object)-1], sumEnding(object)...)
}

// check compares a line with its checksum. Of those that we wrote all must have one from the first on that has: older
// versions wrote none, and other programs write none.
func (r *replay) check(line []byte, e entry) error {
	width := len(sumEnding(nil))
	at := len(line) - width
	if at > 0 && bytes.HasPrefix(line[at:], []byte(`,"`+sumKey+`":"`)) {
		r.summed = true
		object := append(line[:at:at], '}')
		if string(line[at:]) != sumEnding(object) {
			return r.bad("the line has changed since it was written: its checksum is another")
		}
		return nil
	}
	if r.summed && strings.HasPrefix(*e.Worker, workerName) {
		return r.bad("the line has changed since it was written: its checksum is missing")
	}
	return nil
}
