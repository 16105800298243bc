package generate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/bloomgml/bloom/internal/random"
)

// spoilNumbers gives some accounts a number with a zero too many, or the number of another column if that is far off.
func (f *firm) spoilNumbers() {
	rng := f.rng(forOutliers)
	for _, i := range random.Subset(rng, len(f.accounts), share(f.values["outliers"], len(f.accounts))) {
		a, j := &f.accounts[i], rng.IntN(len(measures))
		right, other := a.numbers[j], a.numbers[rng.IntN(len(measures))]
		a.numbers[j] *= 10
		if far := other / right; rng.IntN(3) == 0 && (far > 4 || far < 0.25) {
			a.numbers[j] = other
		}
		a.spoilt = true
		f.addFault("outlier", int(i), measures[j], number(a.numbers[j]), number(right))
	}
}

// spoilSegments gives some accounts another segment.
func (f *firm) spoilSegments() {
	rng := f.rng(forSegments)
	for _, i := range random.Subset(rng, len(f.accounts), share(f.values["labels"], len(f.accounts))) {
		a := &f.accounts[i]
		right := a.segment
		a.segment = (right + 1 + rng.IntN(len(segments)-1)) % len(segments)
		f.addFault("label", int(i), "segment", segments[a.segment].name, segments[right].name)
	}
}

func (f *firm) addFault(fault string, account int, column, given, right string) {
	f.truth = append(f.truth, []string{fault, f.name(account), column, given, right})
}

// accountRows returns the accounts with missing values, some of them twice or cut off.
func (f *firm) accountRows() [][]string {
	rng := f.rng(forDirt)
	header := append([]string{"account", "opened", "zip"}, measures[:]...)
	rows := [][]string{append(header, "note", "segment", "fraud")}
	for i, a := range f.accounts {
		row := []string{f.name(i), a.opened.Format(time.DateOnly), zips[a.zip]}
		for _, x := range a.numbers {
			row = append(row, number(x))
		}
		row = append(row, a.note, segments[a.segment].name, map[bool]string{true: "yes", false: "no"}[a.fraud])
		for j := 1; j < len(row)-2; j++ {
			if rng.IntN(40) == 0 && !f.accounts[i].spoilt {
				row[j] = gaps[rng.IntN(len(gaps))]
			}
		}
		rows = append(rows, row)
	}
	for range len(f.accounts) / 160 { // duplicates, edited since
		row := slices.Clone(rows[1+rng.IntN(len(f.accounts))])
		row[4] = strconv.Itoa(rng.IntN(1000))
		rows = append(rows, row)
	}
	for i := range len(f.accounts) / 800 { // a field too few, of unknown accounts
		rows = append(rows, []string{"Y" + strconv.Itoa(i), "2024-02-30", "01067", "12"})
	}
	return rows
}

// gaps are the ways people write missing values.
var gaps = []string{"", "", "NA", "n/a"}

// number formats a number rounded to an integer.
func number(x float64) string { return strconv.Itoa(int(math.Round(x))) }

// homely is the share of payments within a segment.
const homely = 0.93

// trade makes payments: within rings of fraud, then mostly within segments.
func (f *firm) trade() {
	rng := f.rng(forTrade)
	for _, ring := range f.rings {
		for i, u := range ring {
			for _, v := range ring[i+1:] {
				if rng.IntN(5) < 4 {
					f.pay(rng, u, v)
				}
			}
		}
	}
	n := f.whole("payments")
	for wanted := n - f.strangers() - f.twice() - f.random(); len(f.payments) < wanted; {
		u := rng.IntN(len(f.accounts))
		v := rng.IntN(len(f.accounts))
		if own := f.bySeg[f.accounts[u].segment]; rng.Float64() < homely {
			v = own[rng.IntN(len(own))]
		}
		f.pay(rng, u, v)
	}
}

// strangers, twice and random are the numbers of payments of unknown accounts, of duplicates, and of mistakes.
func (f *firm) strangers() int { return f.whole("payments") / 100 }
func (f *firm) twice() int     { return f.whole("payments") / 150 }
func (f *firm) random() int    { return share(f.values["edges"], f.whole("payments")) }

// pay makes u pay v, or v pay u, unless one has paid the other before.
func (f *firm) pay(rng *rand.Rand, u, v int) bool {
	pair := [2]int{min(u, v), max(u, v)}
	if u == v || f.seen[pair] {
		return false
	}
	f.seen[pair] = true
	if rng.IntN(2) == 0 {
		u, v = v, u
	}
	f.payments = append(f.payments, [2]int{u, v})
	return true
}

// paymentRows returns the payments in random order, including the wrong ones.
func (f *firm) paymentRows() [][]string {
	rng := f.rng(forPayments)
	for wanted := len(f.payments) + f.random(); len(f.payments) < wanted; {
		if f.pay(rng, rng.IntN(len(f.accounts)), rng.IntN(len(f.accounts))) {
			last := f.payments[len(f.payments)-1]
			f.truth = append(f.truth, []string{"edge", f.name(last[0]), "payee", f.name(last[1]), ""})
		}
	}
	rows := make([][]string, 0, f.whole("payments")+1)
	for _, p := range f.payments {
		rows = append(rows, f.payment(rng, f.name(p[0]), f.name(p[1])))
	}
	for range f.twice() {
		rows = append(rows, rows[rng.IntN(len(f.payments))])
	}
	for range f.strangers() {
		rows = append(rows, f.payment(rng, f.name(rng.IntN(len(f.accounts))), "X"+strconv.Itoa(rng.IntN(1000))))
	}
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return append([][]string{{"payer", "payee", "amount", "paid"}}, rows...)
}

func (f *firm) payment(rng *rand.Rand, payer, payee string) []string {
	paid := time.Date(2025, 1, 1+rng.IntN(365), 0, 0, 0, 0, time.UTC)
	return []string{payer, payee, strconv.Itoa(20 + rng.IntN(4980)), paid.Format(time.DateOnly)}
}
