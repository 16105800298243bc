package importer

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// Overview: a text is its words, in lower case, and its pairs of words that follow one another. Each falls into one of
// many buckets by a hash, so that rows of any language and any number of words take the same room; buckets that one row
// alone has teach nothing and are left out. A feature is called after the first word that fell into its bucket.

const (
	wordBuckets = 1 << 14
	maxWords    = 2048 // features of a column, the most frequent ones
)

func bucketOf(word string) int32 {
	h := fnv.New64a()
	h.Write([]byte(word)) // never fails
	return int32(h.Sum64() % wordBuckets)
}

// eachWord calls f with the words of a text and its pairs.
func eachWord(text string, f func(word string)) {
	before := ""
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		f(word)
		if before != "" {
			f(before + " " + word)
		}
		before = word
	}
}

// bucket is what fell into a bucket.
type bucket struct {
	name string // the first of it
	rows int
	last int // the row that was counted last
}

// fitText fits the transform of a column of texts. Levels are empty if no word is in two rows.
func fitText(c *dataset.Column, values *dataset.Texts) {
	buckets := make([]bucket, wordBuckets)
	for i := range values.Len() {
		text := strings.TrimSpace(string(values.Get(i)))
		if IsMissing(text) {
			c.Missing++
			continue
		}
		c.Rows++
		eachWord(text, func(word string) {
			b := &buckets[bucketOf(word)]
			if b.rows == 0 {
				b.name = strings.Clone(word)
			}
			if b.last != i+1 {
				b.rows, b.last = b.rows+1, i+1
			}
		})
	}
	buckets = slices.DeleteFunc(buckets, func(b bucket) bool { return b.rows < 2 })
	slices.SortFunc(buckets, func(a, b bucket) int { return cmp.Or(b.rows-a.rows, strings.Compare(a.name, b.name)) })
	buckets = buckets[:min(len(buckets), maxWords)]
	slices.SortFunc(buckets, func(a, b bucket) int { return strings.Compare(a.name, b.name) })
	for _, b := range buckets {
		c.Levels, c.Counts = append(c.Levels, b.name), append(c.Counts, b.rows)
	}
}

// wordIndex finds the features of words.
type wordIndex struct {
	feature map[int32]int32 // of a bucket
	weight  []float64       // of a feature
	found   []int32         // in the last text
}

// newWordIndex returns the index of a column of texts. A word weighs log((1 + rows) / (1 + rows that have it)) + 1.
func newWordIndex(c *dataset.Column) *wordIndex {
	w := &wordIndex{feature: make(map[int32]int32, len(c.Levels))}
	for j, name := range c.Levels {
		w.feature[bucketOf(name)] = int32(j)
		rows := 0
		if j < len(c.Counts) {
			rows = c.Counts[j]
		}
		w.weight = append(w.weight, math.Log(float64(1+c.Rows)/float64(1+rows))+1)
	}
	return w
}

func (e *encoder) text(w *wordIndex, text string) outcome {
	w.found = w.found[:0]
	eachWord(text, func(word string) {
		if j, ok := w.feature[bucketOf(word)]; ok {
			w.found = append(w.found, j)
		}
	})
	if len(w.found) == 0 {
		return odd
	}
	slices.Sort(w.found)
	from, square := len(e.values), 0.0
	for i := 0; i < len(w.found); {
		j, begin := w.found[i], i
		for i < len(w.found) && w.found[i] == j {
			i++
		}
		x := float64(i-begin) * w.weight[j]
		square += x * x
		e.put(int(j), mat.Real(x))
	}
	for k := range e.values[from:] {
		e.values[from+k] = mat.Real(float64(e.values[from+k]) / math.Sqrt(square))
	}
	return taken
}
