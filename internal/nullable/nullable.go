// Package nullable writes numbers that JSON has no word for.
package nullable

import (
	"encoding/json"
	"math"
)

// Number is null in JSON where it is not finite.
type Number float64

// MarshalJSON writes null for what is no number.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}
