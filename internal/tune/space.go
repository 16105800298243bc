package tune

import (
	"fmt"
	"slices"
)

// Space is what is searched, in the order in which people see it.
type Space []Param

// Param is a key with the values it can have.
type Param struct {
	Key    string // as of --set: train.rate, energy.f.lambda
	Domain Domain
}

// Point is a value for every Param of a Space.
type Point []float64

// Check returns an error for the first domain that has no values, or keys that stand there twice.
func (s Space) Check() error {
	if len(s) == 0 {
		return fmt.Errorf("the space has no keys")
	}
	for i, p := range s {
		if s.index(p.Key) != i {
			return fmt.Errorf("key %q stands in the space twice", p.Key)
		}
		if err := p.Domain.check(); err != nil {
			return fmt.Errorf("%s: %w", p.Key, err)
		}
	}
	return nil
}

// index is the place of a key, −1 where it is not there.
func (s Space) index(key string) int {
	return slices.IndexFunc(s, func(p Param) bool { return p.Key == key })
}

// Settings are the values at a point as key=value, in the order of s: what --set takes.
func (s Space) Settings(at Point) []string {
	var list []string
	for i, p := range s {
		list = append(list, p.Key+"="+Text(p.Domain.Value(at[i])))
	}
	return list
}
