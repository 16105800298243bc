package forget

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
)

// ReceiptFile is the file of a new run that says what was forgotten, and how.
const ReceiptFile = "receipt.json"

// Receipt says what was forgotten, without naming it. The JSON keys are stable.
type Receipt struct {
	When      time.Time         `json:"when"`
	Forgotten Forgotten         `json:"forgotten"`
	Requests  map[string]string `json:"requests"` // the SHA-256 of the tables that named it, by their flags
	Recipe    string            `json:"recipe"`
	Method    string            `json:"method"`           // solved again, trained again, or Newton steps
	Choice    string            `json:"choice,omitempty"` // the recipe, if several were compared again
	Why       string            `json:"why,omitempty"`    // the tolerance could not be used
	Exact     bool              `json:"exact"`            // the model follows from the new data and the settings alone
	// Bound is the largest distance of the weights from the minimiser of ℓ_up on the new data, Trained the same of the
	// old run on its own, where training ended, and Steps the Newton steps; nil and 0 if the model is exact.
	Bound   *float64 `json:"bound,omitempty"`
	Trained *float64 `json:"bound_before,omitempty"`
	Steps   int      `json:"steps,omitempty"`
	Model   Change   `json:"model"` // SHA-256 of model.safetensors
	// Answers has the SHA-256 of predictions.csv: a closed form has no other weights than its answers.
	Answers Change   `json:"answers"`
	Data    Change   `json:"data"` // SHA-256 of data.bloom
	Checked Checked  `json:"checked"`
	Left    []string `json:"left"` // where the rows still are
	Seconds float64  `json:"seconds"`
	// Learning is how many of these were spent on the model, without reading data and writing the folder.
	Learning float64 `json:"seconds_learning"`
}

// Forgotten counts what was taken out.
type Forgotten struct {
	Nodes   int `json:"nodes"`
	Edges   int `json:"edges"`
	Labels  int `json:"labels"`
	OfNodes int `json:"edges_of_nodes"` // edges of the nodes
	More    int `json:"more_nodes"`     // values that only these rows had
	Classes int `json:"classes"`        // that had no other label
	Cells   int `json:"cells"`          // of other rows that were one of the ids
}

// Change has hashes of a file of the run, before and after.
type Change struct {
	Name   string `json:"name,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after"`
}

// Checked says how the folder was searched.
type Checked struct {
	Files int `json:"files"`
	IDs   int `json:"ids"`   // looked for among ids
	Words int `json:"words"` // of these also as words of any text: those that are neither a number nor a plain word
}

func (x *Receipt) write(dir string) error {
	return files.Replace(filepath.Join(dir, ReceiptFile), files.WriteOptions{}, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(x)
	})
}

// Text returns the receipt for people.
func (x *Receipt) Text() string {
	f := x.Forgotten
	text := fmt.Sprintf("forgotten %s, %s, %s", show.Plural(f.Nodes+f.More, "node"),
		show.Plural(f.Edges+f.OfNodes, "edge"), show.Plural(f.Labels, "label"))
	if x.Bound == nil {
		text += fmt.Sprintf("\nmodel     %s without them: nothing of them is in it\n", x.Method)
	} else {
		text += fmt.Sprintf("\nmodel     %s; its weights are within %.2g of the ones that fit the rest best\n",
			x.Method, *x.Bound)
	}
	if x.Why != "" {
		text += "why       " + x.Why + "\n"
	}
	return text + fmt.Sprintf("checked   none of %s in %s\n", show.Plural(x.Checked.IDs, "id"),
		show.Plural(x.Checked.Files, "file"))
}
