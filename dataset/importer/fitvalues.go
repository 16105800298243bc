package importer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
)

// sampled is about how many numbers of a long column tell whether its tail is heavy.
const sampled = 1 << 17

// fewest is the minimum number of values to recognise heavy tails.
const fewest = 30

// heavy reports whether numbers that are not negative have a heavy tail, so that they are taken by their logarithm.
//
// Chosen: the highest decile is more than three times as far from the median as the lowest; of the normal distribution
// it is as far, of the exponential one 2.75 times. Deciles, unlike moments, stay where they are when a few numbers are
// wrong.
func heavy(xs []float64) bool {
	if len(xs) < fewest || slices.Min(xs) < 0 {
		return false
	}
	var order []float64
	for i := 0; i < len(xs); i += 1 + len(xs)/sampled {
		order = append(order, xs[i])
	}
	slices.Sort(order)
	n := len(order)
	low, middle, high := order[n/10], order[n/2], order[n-1-n/10]
	return high-middle > 3*(middle-low)
}

func (p *columnProfile) fitNumber(c *dataset.Column, values *dataset.Texts, forced bool) {
	c.Comma, c.Unit = p.writing()
	if !forced && p.whole == p.numbers {
		c.Absent = p.marks.absent()
	}
	xs, marked := make([]float64, 0, p.numbers), 0
	for i := range values.Len() {
		text := strings.TrimSpace(values.Text(i))
		x, ok := Number(c, text)
		switch {
		case !ok:
			c.NotRead(text, IsMissing(text))
		case slices.Contains(c.Absent, x):
			marked++
		default:
			xs = append(xs, x)
		}
	}
	c.Missing = p.rows - len(xs)
	fitMoments(c, xs)
	p.tellNumbers(c, marked)
}

// fitMoments sets the mean and the deviation of numbers, or of their logarithms if their tail is heavy. It overwrites
// them.
func fitMoments(c *dataset.Column, xs []float64) {
	mean, sd := moments(xs)
	if heavy(xs) || !isFinite(sd) {
		c.Log = true
		for i, x := range xs {
			xs[i] = dataset.Feature{SD: 1, Log: true}.Scaled(x)
		}
		mean, sd = moments(xs)
	}
	c.Mean, c.SD = mean, cmp.Or(sd, 1)
}

// writing says how the numbers of a column are written: with a decimal comma, and with which unit.
func (p *columnProfile) writing() (comma bool, unit string) {
	return p.commas > p.points, slices.Collect(maps.Keys(p.units))[0]
}

// moments returns the mean and the standard deviation of numbers, by Welford's method.
func moments(xs []float64) (mean, sd float64) {
	square := 0.0
	for i, x := range xs {
		d := x - mean
		mean += d / float64(i+1)
		square += d * (x - mean)
	}
	return mean, math.Sqrt(square / float64(len(xs)))
}

// tellNumbers says how the numbers of a column are written and taken.
func (p *columnProfile) tellNumbers(c *dataset.Column, marked int) {
	var more []string
	if len(p.money) > 0 {
		more = append(more, "amounts of money in "+strings.Join(slices.Sorted(maps.Keys(p.money)), ", "))
	}
	if c.Unit == clockUnit {
		more = append(more, "hours, minutes and seconds, in seconds")
	} else if c.Unit != "" {
		more = append(more, "the unit is "+c.Unit)
	}
	if len(p.converted) > 0 {
		more = append(more, strings.Join(p.converted, ", ")+" converted")
	}
	if c.Comma {
		more = append(more, "with a decimal comma")
	}
	if c.Unread > 0 {
		more = append(more, fmt.Sprintf("%d are not, such as %.20q", c.Unread, c.Example))
	}
	for _, x := range c.Absent {
		more = append(more, fmt.Sprintf("%g, in %d rows, stands for a missing value (--kind %s keeps it)", x,
			marked, flagValue(c.Name+"="+dataset.Number)))
	}
	if c.Log {
		more = append(more, "by their logarithm, as they have a heavy tail")
	}
	c.Why = strings.Join(append([]string{c.Why}, more...), "; ")
}

// tellDates says how the dates of a column are written.
func (p *columnProfile) tellDates(c *dataset.Column) {
	switch {
	case p.months > 0 && p.days > 0:
		c.Why += fmt.Sprintf("; the day comes first in %d and the month in %d", p.days, p.months)
	case c.MonthFirst:
		c.Why += "; the month comes first"
	}
	if p.endless > 0 {
		c.Why += fmt.Sprintf("; %d such as %.20q mean no end and count as missing", p.endless, c.Example)
	} else if c.Unread > 0 {
		c.Why += fmt.Sprintf("; %d are not, such as %.20q", c.Unread, c.Example)
	}
}

// marks detects numbers that stand for a missing value among whole numbers that are not negative: −1 and the like, or
// 999.
type marks struct {
	negative float64 // the only number below 0
	count    int     // of it
	several  bool    // different numbers below 0
	nines    map[float64]int
	other    float64 // the largest number that is not made of nines
}

// add takes a whole number.
func (m *marks) add(x float64) {
	switch {
	case x < 0:
		m.several = m.several || m.count > 0 && x != m.negative
		m.negative = x
		m.count++
	case isNines(x):
		m.nines[x]++
	default:
		m.other = max(m.other, x)
	}
}

// isNines reports whether x is 99, 999 and so on.
func isNines(x float64) bool {
	for nines := 99.0; nines <= x && nines < 1e12; nines = 10*nines + 9 {
		if nines == x {
			return true
		}
	}
	return false
}

// absent returns the numbers that stand for a missing value.
//
// Chosen: −1, −9, −99 and so on where no other number is negative and some are 10 or more, as numbers around 0 may well
// be −1; 99, 999 and so on where two rows have it and it is five times any other number.
func (m *marks) absent() (list []float64) {
	if x := -m.negative; m.count > 0 && !m.several && m.other >= 10 && (x == 1 || x == 9 || isNines(x)) {
		list = append(list, m.negative)
	}
	for _, x := range slices.Sorted(maps.Keys(m.nines)) {
		if m.nines[x] > 1 && x > 5*m.other && m.other > 0 {
			list = append(list, x)
		}
	}
	return list
}

// fitCategory sets the levels of a column: all of them if the user said so, otherwise rare levels are merged into one.
//
// Chosen: rare is what less than a thousandth of the rows has, or is not among the 63 most frequent.
func (p *columnProfile) fitCategory(c *dataset.Column, forced bool) {
	count := map[string]int{}
	for name, n := range p.levels {
		if same, ok := c.Same[name]; ok {
			name = same
		}
		count[name] += n
	}
	names := byCount(count)
	there, keep := p.rows-p.missing, len(names)
	if !forced {
		if keep > maxLevels {
			keep = maxLevels - 1
		}
		for keep > 1 && 1000*count[names[keep-1]] < there {
			keep--
		}
	}
	rest := 0
	for _, name := range names[keep:] {
		rest += count[name]
	}
	c.Missing, c.Levels = p.missing, names[:keep:keep]
	if len(names) == keep+1 { // nothing would be gained
		c.Levels = names
	}
	sortNames(c.Levels)
	if n := len(names); n > keep+1 {
		c.Levels = append(c.Levels, dataset.OtherLevel)
		c.Why += fmt.Sprintf("; the %d rarest, with %d values, are grouped as %s", n-keep, rest, dataset.OtherLevel)
	}
	if len(c.Same) > 0 {
		c.Why += fmt.Sprintf("; %d other spellings were merged into these", len(c.Same))
	} else if same := p.spellings(); len(same) > 0 {
		c.Why += fmt.Sprintf("; similar spellings: %s; --merge %s merges them", spelled(same), flagValue(c.Name))
	}
}

// byCount returns the keys, most frequent first.
func byCount(count map[string]int) []string {
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
}

// quotedList returns a few values for an error.
func quotedList(values []string) string {
	var list []string
	for _, v := range values {
		list = append(list, fmt.Sprintf("%.20q", v))
	}
	return strings.Join(list, ", ")
}
