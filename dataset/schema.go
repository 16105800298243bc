package dataset

// Schema is how the columns of a user's tables became features: fitted once, at import, stored with
// the data, and repeated for rows that come later.
type Schema struct {
	Types []TypeSchema `json:"types"` // one per node type
}

// TypeSchema is the columns of one node type.
type TypeSchema struct {
	Name    string   `json:"name"`
	ID      string   `json:"id"`              // the column of ids
	Label   string   `json:"label,omitempty"` // the column of classes
	Columns []Column `json:"columns"`         // the features, in the order of their columns in the matrix
}

// What a column holds.
const (
	Number   = "number"   // (x − Mean)/SD, Mean where it is missing
	Category = "category" // one column of 0 and 1 for every level; a level never seen gives zeros
	Skipped  = "skipped"  // free text, constants and the like
)

// Column is one column with its fitted transform.
type Column struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Why     string   `json:"why"` // what it was recognised by: "312 of 312 values are numbers"
	Mean    float64  `json:"mean,omitempty"`
	SD      float64  `json:"sd,omitempty"`
	Levels  []string `json:"levels,omitempty"`
	Missing int      `json:"missing,omitempty"` // values filled when it was fitted
}

// Width is the number of feature columns that c becomes.
func (c Column) Width() int {
	switch c.Kind {
	case Number:
		return 1
	case Category:
		return len(c.Levels)
	}
	return 0
}
