package tune

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Domain is the set of values that a key can have: one of Choices, or the numbers from Low to High. A value is held as
// one float64: its index in Choices, or the number itself.
//
// Samplers see numbers as an interval on a scale, logarithmic or not. If there are steps, every number stands in the
// middle of a bin that is one step wide.
type Domain struct {
	Choices []any // strings, bools, ints, float64s, between which there is no order; nil for a range

	Low, High float64 // both included
	Step      float64 // High − Low is a multiple of it; 0 means 1 for whole numbers, and any number for others
	Whole     bool    // whole numbers alone
	Log       bool    // 0.1 to 1 weighs as much as 1 to 10
}

// Value returns the value that x stands for: a string, bool, int or float64.
func (d Domain) Value(x float64) any {
	switch {
	case d.Choices != nil:
		return d.Choices[int(x)]
	case d.Whole:
		return int(x)
	}
	return x
}

// Contains reports whether x stands for a value.
func (d Domain) Contains(x float64) bool {
	low, high, step := d.Low, d.High, d.step()
	if d.Choices != nil {
		low, high, step = 0, float64(len(d.Choices)-1), 1
	}
	if !(low <= x && x <= high) {
		return false
	}
	k := (x - low) / step
	return step == 0 || math.Abs(k-math.Round(k)) < 1e-8
}

// Extremes returns all choices, or the ends of the range.
func (d Domain) Extremes() []any {
	if d.Choices != nil {
		return d.Choices
	}
	return []any{d.Value(d.Low), d.Value(d.High)}
}

// step returns the distance between neighbouring numbers; 0 if any number will do.
func (d Domain) step() float64 {
	if d.Whole && d.Step == 0 {
		return 1
	}
	return d.Step
}

// scale returns the position of x on the scale.
func (d Domain) scale(x float64) float64 {
	if d.Log {
		return math.Log(x)
	}
	return x
}

// interval returns the range on the scale, with the outer halves of the first and the last bin.
func (d Domain) interval() (from, to float64) {
	return d.scale(d.Low - d.step()/2), d.scale(d.High + d.step()/2)
}

// bin returns the part of the interval that becomes the number x: a point if there are no steps.
func (d Domain) bin(x float64) (from, to float64) {
	return d.scale(x - d.step()/2), d.scale(x + d.step()/2)
}

// number returns the value at a point of the scale.
//
// Chosen: numbers without steps have six significant digits, so that people can read them and repeat a trial exactly.
func (d Domain) number(at float64) float64 {
	x := at
	if d.Log {
		x = math.Exp(at)
	}
	if step := d.step(); step > 0 {
		return min(max(significant(d.Low+math.Round((x-d.Low)/step)*step, 14), d.Low), d.High)
	}
	return min(max(significant(x, 6), d.Low), d.High)
}

// significant returns x rounded to a number of significant digits.
func significant(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64) // what FormatFloat wrote can be read
	return y
}

// maxWhole is the largest whole number of a range: few enough digits that none is lost. Other numbers with steps may go
// as far as maxSteps of them.
const (
	maxWhole = 1e13
	maxSteps = 1e5
)

// check returns an error for a domain that makes no sense.
func (d Domain) check() error {
	if d.Choices != nil {
		return checkChoices(d.Choices)
	}
	for _, v := range []float64{d.Low, d.High, d.Step} {
		if math.IsNaN(v) || math.Abs(v) > 1e300 {
			return fmt.Errorf("%v is too large", v)
		}
		if d.Whole && v != math.Trunc(v) {
			return fmt.Errorf("%v is not a whole number", v)
		}
	}
	largest := max(math.Abs(d.Low), math.Abs(d.High))
	switch step := d.step(); {
	case d.Whole && largest > maxWhole:
		return errors.New("the numbers are too large")
	case d.Step < 0:
		return fmt.Errorf("step is %v, want a number above 0", d.Step)
	case !d.Whole && step > 0 && largest > maxSteps*step:
		return fmt.Errorf("%v is too small a step from %v to %v", step, d.Low, d.High)
	case d.Log && d.Step != 0:
		return errors.New("a logarithmic range has no step")
	case d.Log && d.Whole && d.Low < 1:
		return fmt.Errorf("a logarithmic range of whole numbers begins at 1 or above, this at %v", d.Low)
	case d.Log && d.Low <= 0:
		return fmt.Errorf("a logarithmic range begins above 0, this at %v", d.Low)
	case d.Low > d.High:
		return fmt.Errorf("the range begins at %v, above its end %v", d.Low, d.High)
	case step > 0 && math.Abs((d.High-d.Low)/step-math.Round((d.High-d.Low)/step)) > 1e-8:
		return fmt.Errorf("from %v to %v is not a multiple of the step %v", d.Low, d.High, step)
	}
	return nil
}

func checkChoices(values []any) error {
	if len(values) == 0 {
		return errors.New("there is nothing to choose from")
	}
	seen := map[string]bool{}
	for _, v := range values {
		switch v := v.(type) {
		case string, bool, int:
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%v is not finite", v)
			}
		default:
			return fmt.Errorf("%v is neither text nor a number nor true or false", v)
		}
		if seen[Text(v)] {
			return fmt.Errorf("%v is listed twice", v)
		}
		seen[Text(v)] = true
	}
	return nil
}

// Text returns a value as --set takes it.
func Text(value any) string {
	if v, ok := value.(float64); ok {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}
