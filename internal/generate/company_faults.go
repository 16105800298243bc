package generate

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/bloomgml/bloom/internal/random"
)

// spoilNumbers gives some accounts a number with a zero too many, or that of another column where it is far off.
func (f *firm) spoilNumbers() {
	rng := f.rng(forOutliers)
	for _, i := range random.Draw(rng, len(f.accounts), share(f.values["outliers"], len(f.accounts))) {
		a, j := &f.accounts[i], rng.IntN(len(measures))
		right, other := a.numbers[j], a.numbers[rng.IntN(len(measures))]
		a.numbers[j] *= 10
		if far := other / right; rng.IntN(3) == 0 && (far > 4 || far < 0.25) {
			a.numbers[j] = other
		}
		a.spoilt = true
		f.tell("outlier", int(i), measures[j], number(a.numbers[j]), number(right))
	}
}

// spoilSegments gives some accounts another segment.
func (f *firm) spoilSegments() {
	rng := f.rng(forSegments)
	for _, i := range random.Draw(rng, len(f.accounts), share(f.values["labels"], len(f.accounts))) {
		a := &f.accounts[i]
		right := a.segment
		a.segment = (right + 1 + rng.IntN(len(segments)-1)) % len(segments)
		f.tell("label", int(i), "segment", segments[a.segment].name, segments[right].name)
	}
}

// tell adds a row to the truth.
func (f *firm) tell(fault string, account int, column, given, right string) {
	f.truth = append(f.truth, []string{fault, f.name(account), column, given, right})
}

// accountRows are the accounts with missing values, and some of them twice or cut off.
func (f *firm) accountRows() [][]string {
	rng := f.rng(forDirt)
	header := append([]string{"account", "opened", "zip"}, measures[:]...)
	rows := [][]string{append(header, "note", "segment", "fraud")}
	for i := range f.accounts {
		row := f.accountRow(i)
		for j := 1; j < len(row)-2; j++ {
			if rng.IntN(40) == 0 && !f.accounts[i].spoilt {
				row[j] = gaps[rng.IntN(len(gaps))]
			}
		}
		rows = append(rows, row)
	}
	for range len(f.accounts) / 160 { // there twice, edited since
		row := slices.Clone(rows[1+rng.IntN(len(f.accounts))])
		row[4] = strconv.Itoa(rng.IntN(1000))
		rows = append(rows, row)
	}
	for i := range len(f.accounts) / 800 { // a field too few, of accounts that nobody knows
		rows = append(rows, []string{"Y" + strconv.Itoa(i), "2024-02-30", "01067", "12"})
	}
	return rows
}

// gaps are how people write that they do not know.
var gaps = []string{"", "", "NA", "n/a"}

// accountRow is an account as a row.
func (f *firm) accountRow(i int) []string {
	a := &f.accounts[i]
	row := []string{f.name(i), a.opened.Format(time.DateOnly), zips[a.zip]}
	for _, x := range a.numbers {
		row = append(row, number(x))
	}
	return append(row, a.note, segments[a.segment].name, map[bool]string{true: "yes", false: "no"}[a.fraud])
}

// number is a number to the whole.
func number(x float64) string { return strconv.Itoa(int(math.Round(x))) }
