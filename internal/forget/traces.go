package forget

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"index/suffixarray"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/files"
)

// Overview. What was forgotten is looked for in every file of a folder: in data sets, read back, among ids, edges,
// labels and the cells of tables; in tables and JSON where ids stand; and everywhere as a word, if an id cannot be
// anything else. An id is a word by itself where no letter, digit or sign that ids have is next to it, and where it is
// not part of a longer id or name of the data: ann is not found in ann-marie, nor Ann in Ann Lee.

// traces is what is looked for, in a folder of data that does not have it.
type traces struct {
	data     *dataset.Dataset
	gone     map[string]bool    // ids of nodes
	edges    map[[2]string]bool // ids of their ends, both ways if they have no direction
	labels   map[string]bool    // ids of nodes whose labels are gone
	telling  []string           // those of gone that can be found as words
	longer   []string           // ids and names that are left
	searched int                // files
}

// newTraces returns what to look for: gone was taken out of old, which left now.
func newTraces(old, now *dataset.Dataset, gone dataset.Gone) *traces {
	t := &traces{data: now, gone: map[string]bool{}, edges: map[[2]string]bool{}, labels: map[string]bool{}}
	left, left2 := map[string]bool{}, map[[2]string]bool{}
	for v := range int32(now.Graph.NumNodes()) {
		left[now.IDs.At(v)] = true
		t.longer = append(t.longer, now.IDs.At(v))
	}
	for _, pair := range edgesOf(now) {
		left2[pair] = true
	}
	for v := range int32(old.Graph.NumNodes()) {
		if id := old.IDs.At(v); !left[id] { // nodes that ended with an edge too
			t.gone[id] = true
		}
	}
	for _, e := range gone.Edges {
		x := old.Graph.Edge(e)
		for _, pair := range pairs(old, x.U, x.V) {
			if !left2[pair] {
				t.edges[pair] = true
			}
		}
	}
	for _, v := range gone.Labels {
		t.labels[old.NodeName(v)] = true
	}
	names := slices.Concat(now.Labels.Names, now.Types, now.Relations, []string{now.Name, "true", "false"})
	if now.Schema != nil {
		for _, s := range now.Schema.Types {
			for _, c := range s.Columns {
				names = append(append(names, c.Name), c.Levels...)
			}
		}
	}
	t.longer = append(t.longer, names...)
	for id := range t.gone {
		if telling(id) && !slices.Contains(names, id) {
			t.telling = append(t.telling, id)
		}
	}
	slices.Sort(t.telling)
	return t
}

// pairs returns the ids of the ends of an edge, both ways if edges have no direction.
func pairs(d *dataset.Dataset, u, v int32) [][2]string {
	a, b := d.IDs.At(u), d.IDs.At(v)
	if d.Graph.Undirected() {
		return [][2]string{{a, b}, {b, a}}
	}
	return [][2]string{{a, b}}
}

func edgesOf(d *dataset.Dataset) (list [][2]string) {
	for e := range int32(d.Graph.NumEdges()) {
		x := d.Graph.Edge(e)
		list = append(list, pairs(d, x.U, x.V)...)
	}
	return list
}

// telling reports whether an id can be nothing else in a text: it is neither a number nor a plain word.
func telling(id string) bool {
	letters, others := 0, 0
	for i, r := range id {
		switch {
		case !unicode.IsLetter(r):
			others++
		case unicode.IsUpper(r) && i > 0:
			others++
			letters++
		default:
			letters++
		}
	}
	return len(id) >= 3 && letters > 0 && others > 0
}

// certain is the length from which an id is looked for in binary files, where shorter ones occur by chance.
const certain = 6

// search looks through all files below dir. The error says what was found, and where.
func (t *traces) search(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		t.searched++
		if filepath.Ext(path) == ".bloom" {
			return t.inData(path)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found := ""
		switch ext := filepath.Ext(path); ext {
		case ".csv":
			found = t.inTable(text)
		case ".json", ".jsonl":
			found = t.inJSON(text)
		case ".html":
			text = page.ReplaceAll(text, []byte(" "))
		}
		if found == "" {
			found = t.inText(text)
		}
		if found != "" {
			return files.Errorf(path, "%s is still there", found)
		}
		return nil
	})
}

// page is what is no text in a page: styles and tags.
var page = regexp.MustCompile(`(?s)<style.*?</style>|<[^>]*>`)

// inText looks for telling ids as words, as they are and as HTML and JSON write them.
func (t *traces) inText(text []byte) string {
	places, binary := suffixarray.New(text), !utf8.Valid(text)
	for _, id := range t.telling {
		if binary && len(id) < certain {
			continue
		}
		quoted, _ := json.Marshal(id) // cannot fail
		forms := []string{id, html.EscapeString(id), string(quoted[1 : len(quoted)-1])}
		for _, form := range slices.Compact(forms) {
			for _, at := range places.Lookup([]byte(form), -1) {
				if t.isWord(text, at, form) {
					return fmt.Sprintf("%q", id)
				}
			}
		}
	}
	return ""
}

// isWord reports whether the word at a place of a text is there by itself.
func (t *traces) isWord(text []byte, at int, word string) bool {
	before, _ := utf8.DecodeLastRune(text[:at])
	after, _ := utf8.DecodeRune(text[at+len(word):])
	return !joins(before) && !joins(after) && !t.within(text, at, word)
}

// joins reports whether a letter next to a word makes it another word.
func joins(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-@", r)
}

// within reports whether the word at a place of a text is part of a longer name that is left.
func (t *traces) within(text []byte, at int, word string) bool {
	for _, name := range t.longer {
		if len(name) <= len(word) {
			continue
		}
		for from, i := 0, 0; i >= 0; from += i + 1 {
			if i = strings.Index(name[from:], word); i < 0 {
				break
			}
			start := at - from - i
			if start >= 0 && bytes.HasPrefix(text[start:], []byte(name)) {
				return true
			}
		}
	}
	return false
}

// idColumns are the columns of tables, and the keys of JSON, that hold ids.
var idColumns = []string{"id", "source", "target", "head", "tail", "entity"}

// inTable looks for ids in columns of ids, for edges in those of their ends, and for labels.
func (t *traces) inTable(text []byte) string {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		return "" // it is a text
	}
	column := map[string]int{}
	for j, name := range rows[0] {
		column[name] = j + 1
	}
	cell := func(row []string, name string) string {
		if j := column[name]; j > 0 {
			return row[j-1]
		}
		return ""
	}
	for i, row := range rows[1:] {
		for _, name := range idColumns {
			if id := cell(row, name); column[name] > 0 && t.gone[id] {
				return fmt.Sprintf("node %q (line %d)", id, i+2)
			}
		}
		if pair := [2]string{cell(row, "source"), cell(row, "target")}; column["source"] > 0 && t.edges[pair] {
			return fmt.Sprintf("the edge %q (line %d)", strings.Join(pair[:], " → "), i+2)
		}
		id := cell(row, "id")
		if kind := cell(row, "type"); kind != "" {
			id = kind + "/" + id
		}
		if t.labels[id] && (cell(row, "label") != "" || column["fold"] > 0) {
			return fmt.Sprintf("the label of %q (line %d)", id, i+2)
		}
	}
	return ""
}

// inJSON looks for ids that are values of the keys of ids.
func (t *traces) inJSON(text []byte) string {
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var x any
		if err := d.Decode(&x); err != nil {
			return ""
		}
		if found := t.inValue("", x); found != "" {
			return found
		}
	}
}

func (t *traces) inValue(key string, x any) string {
	switch x := x.(type) {
	case map[string]any:
		for k, y := range x {
			if found := t.inValue(k, y); found != "" {
				return found
			}
		}
	case []any:
		for _, y := range x {
			if found := t.inValue(key, y); found != "" {
				return found
			}
		}
	case string:
		if slices.Contains(idColumns, key) && t.gone[x] {
			return fmt.Sprintf("node %q", x)
		}
	}
	return ""
}

// inData reads a data set back and looks through its ids, edges, labels and texts.
func (t *traces) inData(path string) error {
	d, err := catalogue.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	found := func(format string, args ...any) error {
		return files.Errorf(path, "%s is still there", fmt.Sprintf(format, args...))
	}
	for v := range int32(d.Graph.NumNodes()) {
		if id := d.IDs.At(v); t.gone[id] {
			return found("node %q", id)
		}
		if t.labels[d.NodeName(v)] && d.Labels.Class[v] >= 0 {
			return found("the label of %q", d.NodeName(v))
		}
	}
	for _, pair := range edgesOf(d) {
		if t.edges[pair] {
			return found("the edge %q", strings.Join(pair[:], " → "))
		}
	}
	said, err := json.Marshal([]any{d.Name, d.Notes, d.Schema, d.Labels.Names})
	if err != nil {
		return err
	}
	if id := t.inText(said); id != "" {
		return found("%s, in the description of columns,", id)
	}
	if d.Raw == nil {
		return nil
	}
	for _, columns := range append(slices.Clone(d.Raw.Nodes), d.Raw.Edges) {
		for _, c := range columns {
			if id := t.inTexts(&c.Values); id != "" {
				return found("%q in column %q", id, c.Name)
			}
		}
	}
	return nil
}

// inTexts looks for telling ids among the words of texts.
func (t *traces) inTexts(x *dataset.Texts) string {
	places := suffixarray.New(x.Bytes)
	for _, id := range t.telling {
		for _, at := range places.Lookup([]byte(id), -1) {
			row, _ := slices.BinarySearch(x.Ends, int64(at)+1) // the first that ends after at
			text := x.Get(row)
			if at -= int(x.Ends[row]) - len(text); at+len(id) <= len(text) && t.isWord(text, at, id) {
				return id
			}
		}
	}
	return ""
}
