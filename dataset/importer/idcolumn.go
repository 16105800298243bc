package importer

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
)

// idSample is how many batches of a table of nodes are read to find its column of ids.
const idSample = 8

// sampleEnds returns ends of edges, from the first batch of every table: the values of all columns where their names do
// not tell which are the ends.
func (im *importer) sampleEnds() (map[string]bool, error) {
	ends := map[string]bool{}
	for _, in := range im.spec.Edges {
		if isConnected(in.Table) {
			continue
		}
		err := im.eachSampled(im.openEdges, in.Table, 1, func(s table.Source, b *table.Batch) error {
			source, _, err := findColumn(s, im.spec.Source, sourceNames...)
			if err != nil {
				return err
			}
			target, _, err := findColumn(s, im.spec.Target, targetNames...)
			if err != nil {
				return err
			}
			for i := range b.Rows() {
				for j := range s.Columns() {
					if source < 0 || target < 0 || j == source || j == target {
						ends[string(dataset.FoldID(nil, b.Cell(i, j)))] = true
					}
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	delete(ends, "")
	return ends, nil
}

// eachSampled calls f with the first n batches of a table.
func (im *importer) eachSampled(open func(string) (table.Source, error), name string, n int,
	f func(table.Source, *table.Batch) error) error {
	for _, path := range table.Files(name) {
		if info, err := os.Stat(path); err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeCharDevice) != 0 {
			return nil // a pipe can be read once
		}
	}
	s, err := open(name)
	if err != nil {
		return err
	}
	defer s.Close()
	err = table.Each(s, func(b *table.Batch) error {
		if err := f(s, b); err != nil {
			return err
		}
		if n--; n == 0 {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// errEnough ends table.Each early.
var errEnough = errors.New("enough")

// idByEdges returns the column of a table of nodes that holds the ends of edges, if that is not guess: at least half of
// its first values are distinct, one of fifty is an end, and it contains at least twice as many ends as guess does.
// Otherwise it returns guess, without a reason. Amounts of edges are found among the amounts of many nodes, so numbers
// with a fraction name nothing, and whole numbers are not preferred to a guess with texts that are ends.
func (im *importer) idByEdges(in Input, guess int) (column int, why string, err error) {
	ends, err := im.sampleEnds()
	if err != nil || len(ends) == 0 {
		return guess, "", err
	}
	var values []map[string]bool
	rows := 0
	err = im.eachSampled(im.open, in.Table, idSample, func(s table.Source, b *table.Batch) error {
		for len(values) < len(s.Columns()) {
			values = append(values, map[string]bool{})
		}
		rows += b.Rows()
		for i := range b.Rows() {
			for j := range values {
				values[j][string(dataset.FoldID(nil, b.Cell(i, j)))] = true
			}
		}
		return nil
	})
	if err != nil || rows == 0 {
		return guess, "", err
	}
	found := make([]int, len(values))
	for j := range values {
		for end := range ends {
			if values[j][end] {
				found[j]++
			}
		}
	}
	byChance := func(j int) bool { return 50*found[j] < min(len(values[j]), len(ends)) }
	named := !byChance(guess) && !isNumbers(values[guess])
	best := guess
	for j := range found {
		if found[j] > found[best] && 2*len(values[j]) > rows && !fractions(values[j]) &&
			!(named && isNumbers(values[j])) {
			best = j
		}
	}
	if best == guess || byChance(best) || found[best] < 2*max(1, found[guess]) {
		return guess, "", nil
	}
	why = fmt.Sprintf("%d of the first %d values of edges are in it; --id names another", found[best], len(ends))
	return best, why, nil
}

// fractions reports whether more than a fifth of the values are numbers with a fraction.
func fractions(values map[string]bool) bool {
	n := 0
	for text := range values {
		if x, ok := parseNumber(text); ok && x != math.Trunc(x) {
			n++
		}
	}
	return 5*n > len(values)
}

// roles are words in the names of columns for another row of the same table: manager_id, referred_by_id.
var roles = []string{"manager", "boss", "supervis", "leader", "head", "mentor", "parent", "child", "sibling", "spouse",
	"friend", "follow", "contact", "refer", "invite", "sponsor", "send", "receiv", "recipient", "beneficiary", "payer",
	"payee", "from", "to", "source", "target", "src", "dst", "other", "partner", "peer", "neighbour", "neighbor",
	"previous", "next", "reply", "cited", "citing", "counterpart"}

// hasRole reports whether a word in the name of a column is of a row of the same table.
func hasRole(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("_- .", r) })
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(roles, func(role string) bool {
			return word == role || len(role) > 3 && strings.HasPrefix(word, role)
		})
	})
}

// numbersThings reports whether column j numbers things of its own, though nodes have such ids too: the column of the
// other end is called as the ids of nodes are, and this is called another id, no role of theirs, whose values are
// nearly all numbers up to a largest one far from the number of nodes.
func (e *edgeImport) numbersThings(x *endSample, j, other int) bool {
	if j < 0 || other < 0 || !namesKey(x.columns[j]) || e.spec.Source != "" || e.spec.Target != "" {
		return false
	}
	kind, values, largest := e.typeAmong(x, other), x.distinct(j), 0
	key := e.report.Nodes[kind].Roles[0].Column
	if !strings.EqualFold(x.columns[other], key) || strings.EqualFold(x.columns[j], key) || hasRole(x.columns[j]) {
		return false
	}
	for text := range values {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return false
		}
		largest = max(largest, n)
	}
	nodes := e.nodes.tables[kind].Len()
	return len(values) >= 10 && 10*len(values) >= 9*largest && (3*largest < 2*nodes || 2*largest > 3*nodes)
}
