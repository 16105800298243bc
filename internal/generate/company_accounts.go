package generate

import (
	"math/rand/v2"
	"strconv"
	"time"
)

// account is what is true of an account.
type account struct {
	segment int
	fraud   bool
	opened  time.Time
	zip     int
	numbers [len(measures)]float64 // by measures
	note    string
	spoilt  bool // has a wrong number
}

// segment is a kind of business: means of the measures, and words of notes.
type segment struct {
	name  string
	means [len(measures)]float64
	words []string
}

// measures are the columns of numbers. Their deviation within a segment is 0.3 of the mean.
var measures = [...]string{"employees", "revenue", "orders", "tickets", "days_to_pay"}

const spread = 0.3

var segments = []segment{
	{"bakery", [...]float64{9, 420, 160, 5, 14}, []string{"flour", "ovens", "early delivery", "bread crates"}},
	{"clinic", [...]float64{24, 1900, 70, 12, 28}, []string{"gloves", "x-ray films", "sterile goods", "beds"}},
	{"garage", [...]float64{7, 640, 90, 8, 21}, []string{"brake pads", "tyres", "motor oil", "lifts"}},
	{"school", [...]float64{38, 1100, 35, 4, 35}, []string{"notebooks", "chairs", "projectors", "term start"}},
	{"shop", [...]float64{13, 980, 210, 16, 18}, []string{"shelves", "tills", "price labels", "gift wrap"}},
}

// phrases are what any note may say.
var phrases = []string{"asked for a call back", "prefers e-mail", "new contact person", "invoice by post",
	"moved last year", "long-standing customer", "asked about discounts"}

// drawAccounts makes accounts, of which the first ones of a random order are rings of fraud.
func (f *firm) drawAccounts() {
	rng := f.rng(forAccounts)
	f.accounts = make([]account, f.whole("accounts"))
	order := rng.Perm(len(f.accounts))
	frauds := order[:share(f.values["fraud"], len(order))]
	for _, i := range frauds {
		f.accounts[i].fraud = true
	}
	for len(frauds) > 0 {
		n := min(ringSize, len(frauds))
		f.rings, frauds = append(f.rings, frauds[:n]), frauds[n:]
	}
	for i := range f.accounts {
		f.accounts[i].drawFacts(rng)
		s := f.accounts[i].segment
		f.bySeg[s] = append(f.bySeg[s], i)
	}
}

// ringSize is how many fraudulent accounts know each other.
const ringSize = 7

// drawFacts draws everything but fraud.
func (a *account) drawFacts(rng *rand.Rand) {
	a.segment = rng.IntN(len(segments))
	s := segments[a.segment]
	for j, mean := range s.means {
		a.numbers[j] = max(mean/10, mean*(1+float64(spread*rng.NormFloat64())))
	}
	days := rng.IntN(4500)
	if a.fraud { // young, late and much in touch, on the average
		days = 1500 + rng.IntN(3000)
		a.numbers[4] *= 1.4
		a.numbers[3] *= 1.5
	}
	a.opened = time.Date(2012, 1, 1+days, 0, 0, 0, 0, time.UTC)
	a.zip = rng.IntN(len(zips))
	a.note = s.words[rng.IntN(len(s.words))] + " and " + s.words[rng.IntN(len(s.words))] + ", " +
		phrases[rng.IntN(len(phrases))]
	if rng.IntN(4) == 0 { // nobody wrote down what it is about
		a.note = phrases[rng.IntN(len(phrases))]
	}
}

// zips are the codes of the places that accounts are in.
var zips = func() (list []string) {
	for i := range 40 {
		list = append(list, strconv.Itoa(100000 + 1067 + 487*i)[1:])
	}
	return list
}()
