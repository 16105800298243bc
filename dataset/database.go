package dataset

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
