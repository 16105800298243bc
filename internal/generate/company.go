package generate

import (
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/bloomgml/bloom/internal/random"
)

// company has accounts of businesses of five segments and payments between them. Numbers of an account, its words and
// whom it pays follow its segment; some accounts are fraudulent: they are young, pay late, and pay each other in rings.
//
// On purpose, and told in the table truth, some accounts have a number that is wrong (outliers), some a segment that is
// wrong (labels), and some payments join accounts at random (edges). The rest is dirt that tables have: missing values
// in several spellings, zip codes that begin with zeros, accounts that are there twice, rows with a field too few,
// payments of accounts that nobody knows, and payments that are there twice.
var company = Generator{
	Name:  "company",
	About: "the tables of a company: accounts and payments with dates, notes, gaps and planted mistakes",
	Keys: []key{
		{"accounts", 4000, 100, 1e6, true, "number of accounts"},
		{"payments", 12500, 200, 1e7, true, "number of payments"},
		{"fraud", 0.035, 0, 0.2, false, "share of the accounts that are fraudulent"},
		{"outliers", 0.02, 0, 0.2, false, "share of the accounts with a wrong number"},
		{"labels", 0.03, 0, 0.2, false, "share of the accounts with a wrong segment"},
		{"edges", 0.04, 0, 0.2, false, "share of the payments between accounts at random"},
		seedKey,
	},
}

// firm is a company being generated: first what is true of it, then what its tables say.
type firm struct {
	values
	accounts []account
	bySeg    [][]int
	rings    [][]int
	payments [][2]int
	seen     map[[2]int]bool
	truth    [][]string
}

// tables plants mistakes, and returns the tables.
func (f *firm) tables() []Table {
	f.spoilNumbers()
	f.spoilSegments()
	edges := f.paymentRows()
	return []Table{{"accounts", f.accountRows()}, {"payments", edges}, {"truth", f.truth}}
}

// rng gives the random numbers of one purpose.
func (f *firm) rng(purpose int) *rand.Rand { return random.At(f.seed(), random.Features, purpose) }

// The purposes of random numbers.
const (
	forAccounts = iota
	forTrade
	forOutliers
	forSegments
	forDirt
	forPayments
)

// name returns the id of an account.
func (f *firm) name(i int) string {
	return fmt.Sprintf("A%0*d", len(strconv.Itoa(len(f.accounts)-1)), i)
}

// Table is a table of texts, as people keep them.
type Table struct {
	Name string     // of the file, without an ending
	Rows [][]string // the header first; rows of other lengths are mistakes that people make
}

// WriteCSV writes the table with commas.
func (t Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.WriteAll(t.Rows); err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	return nil
}

// Company makes the tables of a company: accounts and the payments between them as somebody would find them, dates,
// zip codes, notes, gaps and mistakes included, and a table truth of the mistakes that were made on purpose. Values are
// key=value,key=value: accounts, payments, fraud, outliers, labels, edges, seed.
func Company(values string) ([]Table, error) {
	v, err := company.parse(values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", company.Name, err)
	}
	f := &firm{values: v, seen: map[[2]int]bool{}, bySeg: make([][]int, len(segments)),
		truth: [][]string{{"fault", "account", "column", "given", "right"}}}
	f.drawAccounts()
	f.trade()
	return f.tables(), nil
}

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

// measures are the numeric columns. Their standard deviation within a segment is 0.3 of the mean.
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
