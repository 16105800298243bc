package format

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// The files in which a folder of triples may say more about entities: numbers, as entity ⇥ attribute ⇥ number, and
// texts, as entity ⇥ text.
var (
	numberFiles = []string{"literals.tsv", "literals.txt", "numeric.tsv", "numeric.txt", "numerical_literals.txt"}
	textFiles   = []string{"texts.tsv", "texts.txt", "entity2text.txt"}
)

// literal is an entry of the features of an entity.
type literal struct {
	entity, column int32
	value          float64
}

// literals are the columns that numbers and words have. A twin has those of the training graph.
type literals struct {
	attributes map[string]int32
	logs       []bool    // of an attribute: its logarithm counts
	mean, sd   []float64 // of it, over the entities of the training graph
	words      map[string]int32
	rarity     []float64 // by word: log(texts / texts with it)
}

// mostWords is how many words are columns, the most frequent first.
const mostWords = 5000

// readLiterals makes features of the numbers and texts in the first of some folders that has such files: a column an
// attribute, of mean 0 and deviation 1, stored where it is known; then a column a word, of rows with norm 1. Without
// known columns they are found here; what these do not have is left out.
func (n *names) readLiterals(known *literals, folders ...string) (*literals, error) {
	numbers, texts := findFirst(numberFiles, folders), findFirst(textFiles, folders)
	if numbers == "" && texts == "" || known == nil && n.closed {
		return known, nil
	}
	l := known
	if l == nil {
		l = &literals{attributes: map[string]int32{}, words: map[string]int32{}}
	}
	entries, strange, err := n.readNumbers(l, numbers, known == nil)
	if err != nil {
		return nil, err
	}
	of := map[int32][]string{}
	err = n.scanColumns(texts, 2, func(_ int, cells [][]byte) error {
		if v, ok := n.entities.Find(cells[0]); ok {
			of[v] = append(of[v], wordsIn(cells[1])...)
		} else {
			strange++
		}
		return n.Budget.Take(int64(len(cells[1])), "texts of entities")
	})
	if err != nil {
		return nil, err
	}
	if known == nil {
		l.choose(of)
	}
	if strange > 0 {
		n.Note("%d numbers and texts are about entities that no triple has.", strange)
	}
	n.Literals = len(l.attributes)
	n.Features = []dataset.Matrix{l.matrix(n.entities.Len(), append(entries, l.weighed(of)...))}
	return l, nil
}

// readNumbers returns the numbers in a file, scaled, and how many are about unknown entities; where columns are still
// open, every attribute gets one.
func (n *names) readNumbers(l *literals, path string, open bool) (entries []literal, strange int, err error) {
	err = n.scanColumns(path, 3, func(line int, cells [][]byte) error {
		x, err := numberIn(cells[2])
		if err != nil {
			return files.ErrorAt(path, line, "%s is not a number", files.Excerpt(cells[2]))
		}
		column, has := l.attributes[string(cells[1])]
		if !has && open {
			column, has = int32(len(l.attributes)), true
			l.attributes[string(cells[1])] = column
		}
		v, ok := n.entities.Find(cells[0])
		if !ok {
			strange++
		} else if has {
			entries, err = files.Append(n.Budget, entries, "numbers of entities", literal{v, column, x})
		}
		return err
	})
	if open {
		l.measure(entries)
	}
	for i, x := range entries {
		entries[i].value = l.scaled(int(x.column), x.value)
	}
	return entries, strange, err
}

// findFirst returns the first file of some names that one of the folders has; empty if none has.
func findFirst(names, folders []string) string {
	for _, dir := range folders {
		for _, name := range names {
			if path, ok := files.Find(dir, name); ok {
				return path
			}
		}
	}
	return ""
}

// scanColumns calls f for the lines of a file, whose last column may have tabs; an empty path has no lines.
func (n *names) scanColumns(path string, columns int, f func(line int, cells [][]byte) error) error {
	if path == "" {
		return nil
	}
	return files.Scan(path, n.Budget, func(line int, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		cells := bytes.SplitN(text, []byte{'\t'}, columns)
		if len(cells) < columns {
			return files.ErrorAt(path, line, "%d columns, want %d between tabs: %s", len(cells), columns,
				files.Excerpt(text))
		}
		return f(line, cells)
	})
}

// numberIn reads a number or a date, which is its year and the part of it that has passed; a literal of RDF is what is
// between its quotes.
func numberIn(text []byte) (float64, error) {
	s := strings.TrimSpace(string(text))
	if strings.HasPrefix(s, `"`) {
		s, _, _ = strings.Cut(s[1:], `"`)
	}
	x, err := strconv.ParseFloat(s, 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		return 0, strconv.ErrRange
	}
	if part := strings.Split(s, "-"); err != nil && len(part) == 3 && len(part[0]) == 4 && len(part[2]) >= 2 {
		var at [3]float64
		for i, text := range []string{part[0], part[1], part[2][:2]} {
			if at[i], err = strconv.ParseFloat(text, 64); err != nil {
				return 0, err
			}
		}
		return at[0] + (at[1]-1)/12 + (at[2]-1)/372, nil
	}
	return x, err
}

// wordsIn returns the words of a text in lower case, those of one letter left out.
func wordsIn(text []byte) []string {
	list := strings.FieldsFunc(strings.ToLower(string(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return slices.DeleteFunc(list, func(w string) bool { return len(w) < 2 })
}

// measure finds means and deviations. Of an attribute without negative values whose largest is above a hundred medians
// the logarithm counts.
func (l *literals) measure(entries []literal) {
	values := make([][]float64, len(l.attributes))
	for _, x := range entries {
		values[x.column] = append(values[x.column], x.value)
	}
	l.logs, l.mean, l.sd = make([]bool, len(values)), make([]float64, len(values)), make([]float64, len(values))
	for a, list := range values {
		l.sd[a] = 1
		if len(list) == 0 {
			continue
		}
		slices.Sort(list)
		l.logs[a] = list[0] >= 0 && list[len(list)-1] > 100*list[len(list)/2]
		sum, squares := 0.0, 0.0
		for _, x := range list {
			x = l.scaled(a, x)
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / float64(len(list))
		if sd := math.Sqrt(max(0, squares/float64(len(list))-mean*mean)); sd > 0 {
			l.sd[a] = sd
		}
		l.mean[a] = mean
	}
}

// scaled returns a value of attribute a with mean 0 and deviation 1.
func (l *literals) scaled(a int, x float64) float64 {
	if l.logs[a] {
		x = math.Log1p(max(0, x))
	}
	return (x - l.mean[a]) / l.sd[a]
}

// choose makes columns of the words that two texts or more have, and at most half of them.
func (l *literals) choose(of map[int32][]string) {
	count := map[string]int{}
	for _, words := range of {
		slices.Sort(words)
		for _, w := range slices.Compact(slices.Clone(words)) {
			count[w]++
		}
	}
	var list []string
	for w, k := range count {
		if k >= 2 && 2*k <= len(of) {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	for i, w := range list[:min(mostWords, len(list))] {
		l.words[w] = int32(i)
		l.rarity = append(l.rarity, math.Log(float64(len(of))/float64(count[w])))
	}
}

// weighed returns the words of texts, each once, by how rare they are.
func (l *literals) weighed(of map[int32][]string) (list []literal) {
	for v, words := range of {
		norm, first := 0.0, len(list)
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			if i, ok := l.words[w]; ok {
				list = append(list, literal{v, int32(len(l.attributes)) + i, l.rarity[i]})
				norm += l.rarity[i] * l.rarity[i]
			}
		}
		for i := first; i < len(list); i++ {
			list[i].value /= math.Sqrt(norm)
		}
	}
	return list
}

// matrix returns the rows of n entities; of several values of an attribute the least counts.
func (l *literals) matrix(n int, entries []literal) dataset.Matrix {
	slices.SortFunc(entries, func(a, b literal) int {
		return cmp.Or(cmp.Compare(a.entity, b.entity), cmp.Compare(a.column, b.column), cmp.Compare(a.value, b.value))
	})
	entries = slices.CompactFunc(entries, func(a, b literal) bool {
		return a.entity == b.entity && a.column == b.column
	})
	x := dataset.Matrix{Rows: n, Cols: len(l.attributes) + len(l.words), Ptr: make([]int64, n+1)}
	x.Values = make([]mat.Real, 0, len(entries))
	for _, e := range entries {
		x.Idx, x.Values = append(x.Idx, e.column), append(x.Values, mat.Real(e.value))
		x.Ptr[e.entity+1]++
	}
	for v := range n {
		x.Ptr[v+1] += x.Ptr[v]
	}
	return x
}
