package tune

import (
	"fmt"
	"math"
	"strconv"
)

// axis is a range of numbers as samplers see it: an interval on its scale, logarithmic or not. Where there are steps,
// every number stands in the middle of a bin that is one step wide.
type axis struct {
	low, high float64
	step      float64 // 0 where there are none
	log       bool
}

func (a axis) check() error {
	if a.low > a.high {
		return fmt.Errorf("the range begins at %v, above its end %v", a.low, a.high)
	}
	if a.step == 0 {
		return nil
	}
	n := (a.high - a.low) / a.step
	if math.Abs(n-math.Round(n)) > 1e-8 {
		return fmt.Errorf("from %v to %v is no multiple of the step %v", a.low, a.high, a.step)
	}
	return nil
}

func (a axis) contains(x float64) bool {
	if !(a.low <= x && x <= a.high) {
		return false
	}
	if a.step == 0 {
		return true
	}
	k := (x - a.low) / a.step
	return math.Abs(k-math.Round(k)) < 1e-8
}

// scale is where x stands on the scale.
func (a axis) scale(x float64) float64 {
	if a.log {
		return math.Log(x)
	}
	return x
}

// interval is the range on the scale, with the outer halves of the first and the last bin.
func (a axis) interval() (from, to float64) {
	return a.scale(a.low - a.step/2), a.scale(a.high + a.step/2)
}

// bin is the part of the interval that becomes the number x: a point where there are no steps.
func (a axis) bin(x float64) (from, to float64) {
	return a.scale(x - a.step/2), a.scale(x + a.step/2)
}

// number is the value at a place of the scale.
//
// Chosen: numbers without steps have six significant digits, so that people can read them and repeat a trial exactly.
func (a axis) number(at float64) float64 {
	x := at
	if a.log {
		x = math.Exp(at)
	}
	if a.step > 0 {
		return min(max(tidy(a.low+math.Round((x-a.low)/a.step)*a.step, 14), a.low), a.high)
	}
	return min(max(tidy(x, 6), a.low), a.high)
}

// points are all numbers on steps, or n from end to end.
func (a axis) points(n int) []float64 {
	if a.low == a.high {
		return []float64{a.low}
	}
	var list []float64
	if a.step > 0 && !a.log {
		for k := range int(math.Round((a.high-a.low)/a.step)) + 1 {
			list = append(list, a.number(a.low+float64(k)*a.step))
		}
		return list
	}
	from, to := a.scale(a.low), a.scale(a.high)
	for k := range n {
		x := a.number(from + (to-from)*float64(k)/float64(max(1, n-1)))
		if k == 0 || x != list[len(list)-1] {
			list = append(list, x)
		}
	}
	return list
}

// size is len(points(n)) or a little more, without making them.
func (a axis) size(n int) float64 {
	if a.step > 0 && !a.log {
		return math.Round((a.high-a.low)/a.step) + 1
	}
	return float64(n)
}

// tidy is x with so many significant digits.
func tidy(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64) // what FormatFloat wrote can be read
	return y
}
