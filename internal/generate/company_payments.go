package generate

import (
	"math/rand/v2"
	"strconv"
	"time"
)

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

// strangers, twice and random are how many payments are of unknown accounts, are there before, and are mistakes.
func (f *firm) strangers() int { return f.whole("payments") / 100 }
func (f *firm) twice() int     { return f.whole("payments") / 150 }
func (f *firm) random() int    { return share(f.values["edges"], f.whole("payments")) }

// pay lets u pay v, or v pay u, unless one has paid the other before.
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

// paymentRows are the payments in a random order, with those that are wrong among them.
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

// payment is a row of payments.
func (f *firm) payment(rng *rand.Rand, payer, payee string) []string {
	paid := time.Date(2025, 1, 1+rng.IntN(365), 0, 0, 0, 0, time.UTC)
	return []string{payer, payee, strconv.Itoa(20 + rng.IntN(4980)), paid.Format(time.DateOnly)}
}
