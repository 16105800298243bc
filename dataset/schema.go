package dataset

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// SetSeparator stands between the classes of a set in tables.
const SetSeparator = ";"

// Schema says how the columns of a user's tables became features: fitted once, at import, stored with the data, and
// applied to later rows.
type Schema struct {
	Types []TypeSchema `json:"types"` // one per node type
	// Edges are the columns of edges, except ends, relation and weight; nil if there are no others, or if the task is
	// not to classify nodes.
	Edges *TypeSchema `json:"edges,omitempty"`
	// Stats say how columns of nodes were made from rows of edges.
	Stats []EdgeStats `json:"stats,omitempty"`
	// Connect are columns of nodes: every two nodes that share values of them have an edge, or, where there are types
	// of nodes made of these values, an edge to each.
	Connect []string `json:"connect,omitempty"`
	// AsOf is the column of times of edges where nodes have times: what is made of edges is as of these.
	AsOf string `json:"as_of,omitempty"`
	// Tables are the tables of edges that were read from files.
	Tables []EdgeTable `json:"tables,omitempty"`
	// Weight is the column of joined rows whose log₂(1 + x) is the weight of edges; empty if weights are not made this
	// way.
	Weight string `json:"weight,omitempty"`
	// Database are the tables of a database that was imported whole; nodes are their rows.
	Database []TableKeys `json:"database,omitempty"`
}

// EdgeTable says which columns of a table of edges were what; empty if there was no such column.
type EdgeTable struct {
	Name     string `json:"name,omitempty"` // a relation, or source:relation:target
	Source   string `json:"source"`
	Target   string `json:"target"`
	Relation string `json:"relation,omitempty"`
	Weight   string `json:"weight,omitempty"`
}

// EdgeStats says which columns of nodes were made from the rows of one relation.
type EdgeStats struct {
	Name       string   `json:"name"`     // prefix of their names
	Relation   int32    `json:"relation"` // −1 for all
	Numbers    []Column `json:"numbers,omitempty"`
	Categories []Column `json:"categories,omitempty"`
	Time       Column   `json:"time"` // the column of times, without a name if there are no times
	Begin, End float64  // the first and the last time, in days since 1970
	Undirected bool     `json:"undirected,omitempty"` // in and out are one
	NoLoops    bool     `json:"no_loops,omitempty"`   // rows from a node to itself do not count
	Columns    []string `json:"columns"`
}

// Made reports whether a column of nodes was made from edges.
func (s *Schema) Made(column string) bool {
	return slices.ContainsFunc(s.Stats, func(x EdgeStats) bool { return slices.Contains(x.Columns, column) })
}

// Timed reports whether nodes have times, as of which they are known.
func (s *Schema) Timed() bool {
	return s != nil && slices.ContainsFunc(s.Types, func(t TypeSchema) bool { return t.Time != "" })
}

// OfEdges is the name of the columns of edges.
const OfEdges = "edges"

// TypeSchema is the columns of one node type.
type TypeSchema struct {
	Name    string   `json:"name"`
	ID      string   `json:"id"`               // the column of ids
	Label   string   `json:"label,omitempty"`  // the column of classes
	Time    string   `json:"time,omitempty"`   // the column of times, as of which nodes are known
	Columns []Column `json:"columns"`          // the features, in the order of their columns in the matrix
	Folded  bool     `json:"folded,omitempty"` // case and spaces of ids do not count
	Things  bool     `json:"things,omitempty"` // the nodes are values of a column of rows, or of edges
	// Same are other spellings of classes.
	Same map[string]string `json:"same,omitempty"`
}

// What a column holds. A value that is missing, or not of the kind, gives zeros.
const (
	Number   = "number"   // (x − Mean)/SD, of ±ln(1 + |x|) where Log is set
	Category = "category" // one column of 0 and 1 for every level
	Time     = "time"     // a date as its Parts
	Calendar = "calendar" // the same without Elapsed
	Vector   = "vector"   // a list of numbers, (x − Means)/SD, so that directions keep their proportions
	// Text is words and pairs of words: for those in the same bucket as one of Levels, how often the value has them
	// times ln((1 + Rows)/(1 + Counts)) + 1, as a vector of length 1.
	Text    = "text"
	Skipped = "skipped" // constants, names of rows and the like
)

// Kinds lists all kinds.
var Kinds = []string{Number, Category, Time, Calendar, Vector, Text, Skipped}

// The parts of a date. All but Elapsed are an angle α as √2·sin α and √2·cos α.
const (
	Elapsed = "elapsed" // (seconds since 1970 − Mean)/SD
	Season  = "season"  // the day in its year
	Week    = "week"    // the day in its week
	Day     = "day"     // the second in its day
)

// Column is one column with its fitted transform.
type Column struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Why     string   `json:"why"` // how it was recognised: "312 of 312 values are numbers"
	Mean    float64  `json:"mean,omitempty"`
	SD      float64  `json:"sd,omitempty"`
	Levels  []string `json:"levels,omitempty"`
	Missing int      `json:"missing,omitempty"` // values filled when it was fitted
	Unread  int      `json:"unread,omitempty"`  // of these, values that are present but not of the kind
	Example string   `json:"example,omitempty"` // the first of them

	// How values are written, according to the whole column.
	Comma      bool              `json:"comma,omitempty"`       // numbers have a decimal comma
	MonthFirst bool              `json:"month_first,omitempty"` // dates: 5/1/2024 is the first of May
	Unit       string            `json:"unit,omitempty"`        // follows numbers
	Absent     []float64         `json:"absent,omitempty"`      // numbers that mean missing, such as −1
	Log        bool              `json:"log,omitempty"`         // numbers x are taken as ±ln(1 + |x|)
	Same       map[string]string `json:"same,omitempty"`        // other spellings of levels

	// Span are two columns of times of edges: the numbers are the days from the second to the first.
	Span []Column `json:"span,omitempty"`

	Parts  []string  `json:"parts,omitempty"`  // of dates
	Means  []float64 `json:"means,omitempty"`  // of the numbers of lists
	Rows   int       `json:"rows,omitempty"`   // with text
	Counts []int     `json:"counts,omitempty"` // rows of text with a word in the bucket of a level
}

// Width returns the number of feature columns that c becomes.
func (c Column) Width() int {
	switch c.Kind {
	case Number:
		return 1
	case Category, Text:
		return len(c.Levels)
	case Vector:
		return len(c.Means)
	case Time, Calendar:
		n := 0
		for _, part := range c.Parts {
			n += len(ofPart(part))
		}
		return n
	}
	return 0
}

// ofPart returns the names of the features of a part of a date.
func ofPart(part string) []string {
	switch part {
	case Elapsed:
		return []string{part}
	case Season, Week, Day:
		return []string{part + " sin", part + " cos"}
	}
	return nil
}

// OtherLevel is the level of a category that stands for all rare ones.
const OtherLevel = "(other)"

// Feature is a column of the matrix of features: a number x of it is Mean + SD·x in the unit of the table, or, where
// Log is set, ±ln(1 + |·|) of that.
type Feature struct {
	Name     string
	Mean, SD float64
	Log      bool
}

// Value returns the value of the number x of the feature in the unit of the table.
func (f Feature) Value(x float64) float64 {
	if x = f.Mean + f.SD*x; f.Log {
		return math.Copysign(math.Expm1(math.Abs(x)), x)
	}
	return x
}

// Scaled returns the number of the feature that stands for value.
func (f Feature) Scaled(value float64) float64 {
	if f.Log {
		value = math.Copysign(math.Log1p(math.Abs(value)), value)
	}
	return (value - f.Mean) / cmp.Or(f.SD, 1)
}

// Features returns the Width columns that c becomes. Elapsed time is in years.
func (c Column) Features() []Feature {
	var list []Feature
	add := func(name string, mean, sd float64) { list = append(list, Feature{Name: name, Mean: mean, SD: sd}) }
	switch c.Kind {
	case Number:
		list = append(list, Feature{c.Name, c.Mean, c.SD, c.Log})
	case Category, Text:
		for _, level := range c.Levels {
			add(c.Name+"="+level, 0, 1)
		}
	case Vector:
		for j, mean := range c.Means {
			add(c.Name+"["+strconv.Itoa(j)+"]", mean, c.SD)
		}
	case Time, Calendar:
		const year = 365.2425 * 24 * 3600
		for _, part := range c.Parts {
			for _, name := range ofPart(part) {
				if part == Elapsed {
					add(c.Name, 1970+c.Mean/year, c.SD/year)
				} else {
					add(c.Name+" "+name, 0, math.Sqrt2/2)
				}
			}
		}
	}
	return list
}

// NotRead counts a value that is not of the kind of the column, unless it is missing.
func (c *Column) NotRead(text string, missing bool) {
	if missing {
		return
	}
	if c.Unread++; c.Unread == 1 {
		c.Example = strings.Clone(text) // a copy, not to keep the whole table in memory
	}
}

// TableKeys is a table of a database: how its rows are named, when they became known, and which rows of other tables
// they lead to.
type TableKeys struct {
	Name    string       `json:"name"`
	Rows    int          `json:"rows"`
	Columns []Column     `json:"columns"`
	Key     string       `json:"key,omitempty"` // the column that names rows; empty if none does
	KeyWhy  string       `json:"key_why,omitempty"`
	Time    string       `json:"time,omitempty"` // the column that says when a row became known
	TimeWhy string       `json:"time_why,omitempty"`
	Keys    []ForeignKey `json:"foreign_keys,omitempty"`
	// Later are columns whose values became known after their row, and the columns of the times when they did; empty
	// for one that did not.
	Later map[string]string `json:"later,omitempty"`
}

// SchemaFile is the file of a run about questions that holds the tables of their database, without columns.
const SchemaFile = "schema.json"

// ForeignKey is a column whose values name rows of a table.
type ForeignKey struct {
	Column  string `json:"column"`
	Table   string `json:"table"`
	Target  string `json:"target"` // the column of Table that has these values
	Why     string `json:"why"`
	Missing int    `json:"missing,omitempty"` // rows without a value
	Broken  int    `json:"broken,omitempty"`  // rows whose value names no row
	Example string `json:"example,omitempty"` // the first of those values
}
