package importer

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
)

// Overview: columns of a table of nodes whose values name things that rows share, such as the garage and the phone of a
// claim, make edges. Either every two rows that share a thing are a pair, which weighs how many they share, or things
// are nodes of a type of their own, and rows lead to them. Both are tables of edges (and of nodes) that are computed
// from the rows, and then read like files.

// connectTable begins the names of tables that are computed from the columns of Spec.Connect.
const connectTable = "connect:"

// mostSharing returns how many of n rows may have a value that connects them.
//
// Chosen: if every two of them are a pair, a twentieth, or 20, but at most 500, which are 124,750 pairs; a half if
// things are nodes.
func mostSharing(n int, things bool) int {
	if things {
		return n / 2
	}
	return min(500, max(20, n/20))
}

// connected returns spec with the tables that Connect implies.
func (spec Spec) connected() (Spec, error) {
	if len(spec.Connect) == 0 {
		return spec, nil
	}
	if len(spec.Nodes) != 1 {
		return spec, fmt.Errorf("%d tables of nodes; --connect needs exactly one", len(spec.Nodes))
	}
	spec.Edges = slices.Clone(spec.Edges)
	if !spec.Things {
		if len(spec.Edges) == 0 && spec.Direction == anyDirection {
			spec.Direction = Undirected
		}
		name := ""
		if len(spec.Edges) > 0 {
			name = sharedRelation
		}
		spec.Edges = append(spec.Edges, Input{name, connectTable + strings.Join(spec.Connect, ",")})
		return spec, nil
	}
	rows := spec.Nodes[0]
	rows.Name = cmp.Or(rows.Name, rowsName(rows.Table))
	spec.Nodes = []Input{rows}
	for _, c := range spec.Connect {
		if strings.Contains(c, ":") || c == rows.Name {
			return spec, fmt.Errorf("column %q cannot name a type of nodes; rename it, or connect rows by pairs", c)
		}
		spec.Nodes = append(spec.Nodes, Input{c, connectTable + c})
		spec.Edges = append(spec.Edges, Input{rows.Name + ":" + c + ":" + c, connectTable + c})
	}
	return spec, nil
}

func isConnected(name string) bool { return strings.HasPrefix(name, connectTable) }

// asked returns what the user says about the columns of a table: nothing for a computed table.
func (spec *Spec) asked(table string) Spec {
	if isConnected(table) {
		return Spec{}
	}
	return *spec
}

// openConnected computes a table of edges, or of things if these are nodes and edges is not set.
func (im *importer) openConnected(name string, edges bool) (table.Source, error) {
	if column := strings.TrimPrefix(name, connectTable); im.spec.valuesOf[column] != "" {
		return im.openValues(name, column, im.spec.valuesOf[column])
	}
	if len(im.raw.Nodes) == 0 {
		return nil, fmt.Errorf("%s: the table of nodes is read first", name)
	}
	columns := strings.Split(strings.TrimPrefix(name, connectTable), ",")
	rows, err := im.rowTexts(columns)
	if err != nil {
		return nil, err
	}
	s, err := rows.shared(columns, mostSharing(rows.n, im.spec.Things), im.budget)
	if err != nil {
		return nil, err
	}
	if im.old == nil && (edges || !im.spec.Things) {
		im.notes = append(im.notes, s.notes...)
	}
	if im.schema.Connect = im.spec.Connect; im.spec.Things {
		if im.old != nil {
			im.newThings(s, columns[0])
		}
		return s.toThings(name, edges), nil
	}
	if len(s.things) == 0 && im.old == nil {
		return nil, files.Errorf(im.spec.Nodes[0].Table, "no two rows share a value of %s", strings.Join(columns, ", "))
	}
	return s.pairs(name, im.budget)
}

// rowTexts returns the columns of the rows of nodes, old ones first if there are some.
func (im *importer) rowTexts(columns []string) (*rowTexts, error) {
	rows := &rowTexts{id: func(i int) []byte { return im.nodes.tables[0].At(int32(i)) }, n: im.nodes.tables[0].Len()}
	if im.nodes.fold {
		rows.id = im.nodes.texts[0].Get
	}
	rows.known = make([]map[string]string, len(columns))
	names := namesOf(im.raw.Nodes[0])
	for k, c := range columns {
		c = meant(c, names)
		is := textsOf(im.raw.Nodes[0])(c)
		if is == nil {
			return nil, noColumnError(im.spec.Nodes[0].Table, c, " to connect rows by", names)
		}
		if rows.old = rows.n - is.Len(); rows.old == 0 {
			rows.columns = append(rows.columns, is.Get)
			continue
		}
		was := textsOf(im.old.Raw.Nodes[0])(c)
		if was == nil {
			return nil, fmt.Errorf("%s has no column %q, which connected its nodes", im.old.Name, c)
		}
		rows.columns = append(rows.columns, func(i int) []byte {
			if i < rows.old {
				return was.Get(i)
			}
			return is.Get(i - rows.old)
		})
		rows.known[k] = im.thingNames(c)
	}
	return rows, nil
}

// thingNames returns the ids of the things of a column that are nodes already, by their keys.
func (im *importer) thingNames(column string) map[string]string {
	t := im.nodes.typeOf(column)
	if t < 0 || !im.spec.Things {
		return nil
	}
	names := map[string]string{}
	for i := range int32(im.nodes.tables[t].Len()) {
		if im.nodes.numbers[t][i] < int32(im.nodes.known) {
			id := im.old.IDs.At(im.nodes.numbers[t][i])
			names[thingKey(id)] = id
		}
	}
	return names
}

// newThings makes nodes of the things of a column that are none yet. If nodes of their type have no columns, of which
// all that is known of one would come, they are left out.
func (im *importer) newThings(s *shared, column string) {
	t := max(0, im.nodes.typeOf(column))
	var fresh []thing
	s.things = slices.DeleteFunc(s.things, func(x thing) bool {
		if !x.known {
			fresh = append(fresh, x)
		}
		return !x.known && im.old.Features[t].Cols == 0
	})
	if len(fresh) == 0 {
		return
	}
	text := fmt.Sprintf("column %q: %d values that rows share are new nodes, such as %.40q", column, len(fresh),
		fresh[0].name)
	if im.old.Features[t].Cols == 0 {
		text = fmt.Sprintf("column %q: %d values that rows share, such as %.40q, are not nodes of the old data and "+
			"are left out: nodes of type %s have no columns, so nothing is known about new ones", column, len(fresh),
			fresh[0].name, column)
		fresh = nil
	}
	im.notes = append(im.notes, text)
	for _, x := range fresh {
		im.nodes.add(t, []byte(x.name))
	}
}

// sharedRelation is the relation of pairs of rows if there are other edges too.
const sharedRelation = "shared"

// rowTexts are the rows that things connect.
type rowTexts struct {
	n, old  int // rows, and how many of them come first because they are old
	id      func(i int) []byte
	columns []func(i int) []byte
	known   []map[string]string // of every column: ids of things that are nodes, by their keys; nil without old rows
}

// shared are the things that rows share.
type shared struct {
	*rowTexts
	things []thing
	notes  []string
}

// thing is a value that several rows have in a column.
type thing struct {
	name  string
	rows  []int32
	known bool // it is a node already
}

// shared finds the things in columns: values that at least two rows have. It leaves out and notes values that more than
// most rows have or that mean unknown. It compares values by thingKey, without HTML entities.
func (r *rowTexts) shared(names []string, most int, budget *files.Budget) (*shared, error) {
	s := &shared{rowTexts: r}
	for k, value := range r.columns {
		at, list := map[string]int{}, []thing{}
		if err := budget.Take(int64(r.n)*72, "things that rows share"); err != nil {
			return nil, err
		}
		for i := range r.n {
			text := html.UnescapeString(string(value(i)))
			key := thingKey(text)
			if IsMissing(text) {
				continue
			}
			j, known := at[key]
			if !known {
				j = len(list)
				at[key] = j
				list = append(list, thing{name: strings.TrimSpace(text)})
				if id, known := r.known[k][key]; known {
					list[j].name, list[j].known = id, true
				}
			}
			list[j].rows = append(list[j].rows, int32(i))
		}
		connected, left := 0, []thing{}
		for _, t := range list {
			switch n := len(t.rows); {
			case n < 2 && !t.known:
			case (isUnknown(t.name) || n > most) && !t.known:
				left = append(left, t)
			default:
				s.things = append(s.things, t)
				connected += n
			}
		}
		s.tell(names[k], connected, left)
	}
	return s, nil
}

// thingKey returns what values are compared by: letters and digits, and of numbers such as phones the digits alone,
// without zeros before them.
func thingKey(text string) string {
	bare := bareLevel(text)
	digits := strings.NewReplacer("+", "", "-", "").Replace(bare)
	if digits != "" && plainDigits(digits) && !strings.Contains(text, ".") {
		bare = strings.TrimLeft(digits, "0")
	}
	if bare == "" {
		return string(dataset.FoldID(nil, []byte(text)))
	}
	return bare
}

// tell notes how many rows a column connects, and which values were left out.
func (s *shared) tell(column string, connected int, left []thing) {
	text := fmt.Sprintf("column %q: %d of %d rows share a value with another", column, connected, s.n)
	slices.SortStableFunc(left, func(a, b thing) int { return len(b.rows) - len(a.rows) })
	for k, t := range left[:min(3, len(left))] {
		if k == 0 {
			text += "; too common to connect: "
		} else {
			text += ", "
		}
		text += fmt.Sprintf("%.40q (%d rows)", t.name, len(t.rows))
	}
	if len(left) > 3 {
		text += fmt.Sprintf(" and %d more", len(left)-3)
	}
	s.notes = append(s.notes, text)
}

// unknownWords are values in lower case that name nothing in particular; see also IsMissing.
var unknownWords = []string{"unknown", "unbekannt", "inconnu", "inconnue", "desconocido", "sconosciuto", "other",
	"others", "sonstige", "divers", "diverse", "various", "misc", "misc.", "none", "no", "kein", "keine", "keiner",
	"ohne", "anonymous", "anonym", "test", "dummy", "default", "tbd", "tba", "xxx", "not provided", "not specified",
	"unspecified", "not applicable", "no data", "missing", "private", "withheld"}

// isUnknown reports whether a value names nothing: a word such as unknown, or one repeated digit, such as 000 or 99999.
func isUnknown(text string) bool {
	return slices.Contains(unknownWords, strings.ToLower(text)) ||
		len(text) > 1 && strings.Trim(text, "0123456789") == "" && strings.Count(text, text[:1]) == len(text) &&
			(text[0] == '0' || len(text) > 3)
}

// pairs returns the edges between rows that share things, at least one of them new; the weight is the number of shared
// things.
func (s *shared) pairs(name string, budget *files.Budget) (table.Source, error) {
	total := int64(0)
	for _, t := range s.things {
		total += int64(len(t.rows)) * int64(len(t.rows)-1) / 2
	}
	if err := budget.Take(8*total, fmt.Sprintf("%d pairs of rows", total)); err != nil {
		return nil, err
	}
	list := make([]uint64, 0, total)
	for _, t := range s.things {
		for k, v := range t.rows {
			for _, u := range t.rows[:k] {
				if int(v) >= s.old {
					list = append(list, uint64(u)<<32|uint64(v))
				}
			}
		}
	}
	slices.Sort(list)
	var first []int32 // of equal ones
	for i := range list {
		if i == 0 || list[i] != list[i-1] {
			first = append(first, int32(i))
		}
	}
	return table.Generate(name, []string{"source", "target", "weight"}, len(first), func(dst []byte, i, j int) []byte {
		at, end := int(first[i]), len(list)
		if i+1 < len(first) {
			end = int(first[i+1])
		}
		switch j {
		case 0:
			return append(dst, s.id(int(list[at]>>32))...)
		case 1:
			return append(dst, s.id(int(uint32(list[at])))...)
		}
		return strconv.AppendInt(dst, int64(end-at), 10)
	}), nil
}

// toThings returns the table of things, or of the edges that lead to them.
func (s *shared) toThings(name string, edges bool) table.Source {
	if !edges {
		return table.Generate(name, []string{"id"}, len(s.things), func(dst []byte, i, _ int) []byte {
			return append(dst, s.things[i].name...)
		})
	}
	var ends [][2]int32
	for k, t := range s.things {
		for _, i := range t.rows {
			if !t.known || int(i) >= s.old {
				ends = append(ends, [2]int32{i, int32(k)})
			}
		}
	}
	return table.Generate(name, []string{"source", "target"}, len(ends), func(dst []byte, i, j int) []byte {
		if j == 0 {
			return append(dst, s.id(int(ends[i][0]))...)
		}
		return append(dst, s.things[ends[i][1]].name...)
	})
}
