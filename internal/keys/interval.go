package keys

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Interval is the values that a number can have, written as in the tag range: [0,1) has 0 and not 1.
type Interval struct {
	Lo, Hi         float64
	LoOpen, HiOpen bool
}

// everything is the interval of a number without a tag.
var everything = Interval{math.Inf(-1), math.Inf(1), true, true}

// parseInterval reads a tag, everything if it is empty; it panics on a malformed one.
func parseInterval(tag string) Interval {
	if tag == "" {
		return everything
	}
	lo, hi, ok := strings.Cut(tag[1:len(tag)-1], ",")
	i := Interval{LoOpen: tag[0] == '(', HiOpen: tag[len(tag)-1] == ')'}
	var err, err2 error
	i.Lo, err = strconv.ParseFloat(lo, 64)
	i.Hi, err2 = strconv.ParseFloat(strings.Replace(hi, "∞", "inf", 1), 64)
	if !ok || err != nil || err2 != nil {
		panic(fmt.Sprintf("keys: range %q", tag))
	}
	return i
}

// Has reports whether v is in i.
func (i Interval) Has(v float64) bool {
	return (v > i.Lo || v == i.Lo && !i.LoOpen) && (v < i.Hi || v == i.Hi && !i.HiOpen)
}

// Nearest returns the end of i that v lies beyond, if i contains that end.
func (i Interval) Nearest(v float64) (float64, bool) {
	switch {
	case v <= i.Lo && !i.LoOpen:
		return i.Lo, true
	case v >= i.Hi && !i.HiOpen:
		return i.Hi, true
	}
	return 0, false
}

// String returns i in words: "above 0", "from 0 to below 1", "1 or more"; empty for all numbers.
func (i Interval) String() string {
	hi := fmt.Sprintf("to %g", i.Hi)
	if i.HiOpen {
		hi = fmt.Sprintf("to below %g", i.Hi)
	}
	switch {
	case i == everything:
		return ""
	case math.IsInf(i.Hi, 1) && i.LoOpen:
		return fmt.Sprintf("above %g", i.Lo)
	case math.IsInf(i.Hi, 1):
		return fmt.Sprintf("%g or more", i.Lo)
	case i.LoOpen:
		return fmt.Sprintf("above %g %s", i.Lo, hi)
	}
	return fmt.Sprintf("from %g %s", i.Lo, hi)
}
