package main

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/metric"
)

// search runs every point of the grid and returns the one that the validation nodes prefer. The whole grid stays in
// ours.
func (r *runner) search(c *Cell, d *dataset.Dataset, ours *Ours) ([]string, error) {
	var chosen []string
	best := math.Inf(-1)
	points := c.Search.Points()
	outcomes := make([][]Outcome, len(points))
	err := r.each(len(points), func(i int) (err error) {
		outcomes[i], err = r.runs(c, d, c.Search.Seeds, append(slices.Clone(c.Search.Set), points[i]...))
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, p := range points {
		point := pointOf(p, outcomes[i], c.Numbers[0].Name)
		ours.Grid = append(ours.Grid, point)
		if point.Note == "" && point.Valid > best {
			best, chosen = point.Valid, p
		}
	}
	ours.Chosen = map[string]string{}
	for _, s := range chosen {
		key, value, _ := strings.Cut(s, "=")
		ours.Chosen[key] = value
	}
	return chosen, nil
}

// pointOf is the mean of the outcomes of a point; one that diverged makes the whole point diverge.
func pointOf(set []string, outcomes []Outcome, number string) Point {
	p := Point{Set: set}
	var valid, test []float64
	for _, o := range outcomes {
		if o.Diverged != "" {
			p.Note = "diverged"
			return p
		}
		valid, test = append(valid, o.Valid), append(test, o.Numbers[number])
	}
	p.Valid, p.Test = round(metric.Mean(valid)), round(metric.Mean(test))
	return p
}

// sortedKeys are the keys of m in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
