package metric

import (
	"encoding/json"
	"math"
)

// Nullable is null in JSON where it is not finite.
type Nullable float64

// UnmarshalJSON reads null as NaN.
func (n *Nullable) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Nullable(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// MarshalJSON writes null for NaN and Inf.
func (n Nullable) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}
