package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Domain is the values that a key can have: a Choice, an Int or a Float. A value is held as one float64, as in Optuna:
// its place in the list for a Choice, the number itself for the others.
type Domain interface {
	// Value is the value that x stands for: a string, bool, int or float64.
	Value(x float64) any
	// Contains reports whether x stands for a value.
	Contains(x float64) bool
	// Points are values that cover the domain: all of them where it is finite, else n from end to end.
	Points(n int) []float64

	check() error
	distribution() distribution
}

// Choice is one of some values, between which there is no order.
type Choice struct{ Values []any } // strings, bools, ints, float64s

// Int is a whole number from Low to High, both included.
type Int struct {
	Low, High int
	Step      int  // High − Low is a multiple of it; 0 means 1
	Log       bool // 1 to 10 weighs as much as 10 to 100
}

// Float is a number from Low to High, both included.
type Float struct {
	Low, High float64
	Step      float64 // High − Low is a multiple of it; 0 for all numbers
	Log       bool    // 0.1 to 1 weighs as much as 1 to 10
}

var _, _, _ Domain = Choice{}, Int{}, Float{}

// Value is the x-th value.
func (c Choice) Value(x float64) any { return c.Values[int(x)] }

// Contains reports whether there is an x-th value.
func (c Choice) Contains(x float64) bool {
	return x >= 0 && x < float64(len(c.Values)) && x == math.Trunc(x)
}

// Points are all values.
func (c Choice) Points(int) []float64 {
	points := make([]float64, len(c.Values))
	for i := range points {
		points[i] = float64(i)
	}
	return points
}

// Value is x as an int.
func (d Int) Value(x float64) any { return int(x) }

// Contains reports whether x is one of the numbers.
func (d Int) Contains(x float64) bool { return d.axis().contains(x) }

// Points are all numbers, or n of them on a logarithmic scale.
func (d Int) Points(n int) []float64 { return d.axis().points(n) }

// Value is x itself.
func (d Float) Value(x float64) any { return x }

// Contains reports whether x is in the range, on a step where there are steps.
func (d Float) Contains(x float64) bool { return d.axis().contains(x) }

// Points are all steps, or n numbers where there are none.
func (d Float) Points(n int) []float64 { return d.axis().points(n) }

func (d Int) axis() axis {
	return axis{float64(d.Low), float64(d.High), float64(max(1, d.Step)), d.Log}
}

func (d Float) axis() axis { return axis{d.Low, d.High, d.Step, d.Log} }

// maxWhole is the largest number that an Int may have: few enough digits that none is lost. A Float with steps may go
// as far as maxSteps of them.
const (
	maxWhole = 1e13
	maxSteps = 1e5
)

func (c Choice) check() error {
	if len(c.Values) == 0 {
		return errors.New("there is nothing to choose from")
	}
	seen := map[any]bool{}
	for _, v := range c.Values {
		switch v := v.(type) {
		case string, bool, int:
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%v is no number", v)
			}
		default:
			return fmt.Errorf("%v is neither text nor a number nor true or false", v)
		}
		if seen[Text(v)] {
			return fmt.Errorf("%v stands here twice", v)
		}
		seen[Text(v)] = true
	}
	return nil
}

func (d Int) check() error {
	switch {
	case d.Low < -maxWhole || d.High > maxWhole:
		return errors.New("the numbers are too large")
	case d.Step < 0:
		return fmt.Errorf("step is %d, want 1 or more", d.Step)
	case d.Log && d.Step > 1:
		return errors.New("a logarithmic range has no step")
	case d.Log && d.Low < 1:
		return fmt.Errorf("a logarithmic range of whole numbers begins at 1 or above, this at %d", d.Low)
	}
	return d.axis().check()
}

func (d Float) check() error {
	for _, v := range []float64{d.Low, d.High, d.Step} {
		if math.IsNaN(v) || math.Abs(v) > 1e300 {
			return fmt.Errorf("%v is too large", v)
		}
	}
	switch {
	case d.Step < 0:
		return fmt.Errorf("step is %v, want a number above 0", d.Step)
	case d.Step > 0 && max(math.Abs(d.Low), math.Abs(d.High)) > maxSteps*d.Step:
		return fmt.Errorf("%v is too small a step from %v to %v", d.Step, d.Low, d.High)
	case d.Log && d.Step != 0:
		return errors.New("a logarithmic range has no step")
	case d.Log && d.Low <= 0:
		return fmt.Errorf("a logarithmic range begins above 0, this at %v", d.Low)
	}
	return d.axis().check()
}

// Text is a value as --set takes it.
func Text(value any) string {
	if v, ok := value.(float64); ok {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}

// distribution is a Domain as Optuna writes it.
type distribution struct {
	Name       string `json:"name"`
	Attributes any    `json:"attributes"`
}

func (c Choice) distribution() distribution {
	return distribution{"CategoricalDistribution", struct {
		Choices []any `json:"choices"`
	}{c.Values}}
}

func (d Int) distribution() distribution {
	return distribution{"IntDistribution", struct {
		Log  bool `json:"log"`
		Step int  `json:"step"`
		Low  int  `json:"low"`
		High int  `json:"high"`
	}{d.Log, max(1, d.Step), d.Low, d.High}}
}

func (d Float) distribution() distribution {
	var step *float64
	if d.Step != 0 {
		step = &d.Step
	}
	return distribution{"FloatDistribution", struct {
		Step *float64 `json:"step"`
		Low  float64  `json:"low"`
		High float64  `json:"high"`
		Log  bool     `json:"log"`
	}{step, d.Low, d.High, d.Log}}
}

// String is the JSON text that stands, as a string, in every line of a journal that sets a parameter.
func (d distribution) String() string {
	text, _ := json.Marshal(d) // strings, bools and finite numbers, see check
	return string(text)
}
