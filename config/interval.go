package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// interval is the values that a number can have, written as in the tag range: [0,1) has 0 and not 1.
type interval struct {
	lo, hi         float64
	loOpen, hiOpen bool
}

// everything is the interval of a number without a tag.
var everything = interval{math.Inf(-1), math.Inf(1), true, true}

// parseInterval reads a tag, everything for none; a wrong one is a mistake in this package.
func parseInterval(tag string) interval {
	if tag == "" {
		return everything
	}
	lo, hi, ok := strings.Cut(tag[1:len(tag)-1], ",")
	i := interval{loOpen: tag[0] == '(', hiOpen: tag[len(tag)-1] == ')'}
	var err, err2 error
	i.lo, err = strconv.ParseFloat(lo, 64)
	i.hi, err2 = strconv.ParseFloat(strings.Replace(hi, "∞", "inf", 1), 64)
	if !ok || err != nil || err2 != nil {
		panic(fmt.Sprintf("config: range %q", tag))
	}
	return i
}

// has reports whether v is in i.
func (i interval) has(v float64) bool {
	return (v > i.lo || v == i.lo && !i.loOpen) && (v < i.hi || v == i.hi && !i.hiOpen)
}

// nearest is the end of i that v lies beyond, where i has it.
func (i interval) nearest(v float64) (float64, bool) {
	switch {
	case v <= i.lo && !i.loOpen:
		return i.lo, true
	case v >= i.hi && !i.hiOpen:
		return i.hi, true
	}
	return 0, false
}

// String is i in words: "above 0", "from 0 to below 1", "1 or more"; nothing for everything.
func (i interval) String() string {
	hi := fmt.Sprintf("to %g", i.hi)
	if i.hiOpen {
		hi = fmt.Sprintf("to below %g", i.hi)
	}
	switch {
	case i == everything:
		return ""
	case math.IsInf(i.hi, 1) && i.loOpen:
		return fmt.Sprintf("above %g", i.lo)
	case math.IsInf(i.hi, 1):
		return fmt.Sprintf("%g or more", i.lo)
	case i.loOpen:
		return fmt.Sprintf("above %g %s", i.lo, hi)
	}
	return fmt.Sprintf("from %g %s", i.lo, hi)
}
