package node

import (
	"strconv"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// weights returns how much a node of every class counts in the loss; nil if all nodes count alike.
//
//	balanced:   w_c = n / (k n_c)    n training nodes, n_c of them of class c, k classes that there are
func (c *classes) weights(word string, by map[string]float64) ([]mat.Real, error) {
	each := make([]float64, len(c.Names))
	for y, name := range c.Names {
		each[y] = 1
		if w, ok := by[name]; ok {
			each[y] = w
		}
	}
	if err := c.known(by); err != nil {
		return nil, err
	}
	if word == "balanced" {
		c.balance(each)
	}
	alike := true
	for _, y := range c.Class {
		alike = alike && (y < 0 || each[y] == each[0])
	}
	if alike {
		return nil, nil
	}
	w := make([]mat.Real, len(each))
	for y, x := range each {
		w[y] = mat.Real(x)
	}
	return w, nil
}

// balance gives all classes that training nodes have the same weight.
func (c *classes) balance(each []float64) {
	there := 0
	for _, n := range c.counts {
		if n > 0 {
			there++
		}
	}
	for y, n := range c.counts {
		if n > 0 {
			each[y] = float64(len(c.train)) / (float64(there) * n)
		}
	}
}

// known returns a *train.BadSetting for a weight of an unknown class, or an invalid weight.
func (c *classes) known(by map[string]float64) error {
	for name, w := range by {
		found := false
		for _, n := range c.Names {
			found = found || n == name
		}
		if !found {
			return &train.BadSetting{Key: "train.class_weight", Value: name, Want: "a class: " + listed(c.Names, 12)}
		}
		if !(w > 0 && w <= 1e30) {
			return &train.BadSetting{Key: "train.class_weight." + name, Value: strconv.FormatFloat(w, 'g', -1, 64),
				Want: "a number above 0"}
		}
	}
	return nil
}
