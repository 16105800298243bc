package generate

import (
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"

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

// firm is a company on its way: what is true of it, and then what its tables say.
type firm struct {
	values
	accounts []account
	bySeg    [][]int
	rings    [][]int
	payments [][2]int
	seen     map[[2]int]bool
	truth    [][]string
}

func newFirm(v values) *firm {
	f := &firm{values: v, seen: map[[2]int]bool{}, bySeg: make([][]int, len(segments)),
		truth: [][]string{{"fault", "account", "column", "given", "right"}}}
	f.drawAccounts()
	f.trade()
	return f
}

// tables plants mistakes, and writes down what there is.
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

// name is the id of an account.
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
	return newFirm(v).tables(), nil
}
