package forget

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/dataset/relational"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// Request says what a run is to forget.
type Request struct {
	Run    string           // its folder
	Config config.Config    // of it
	Data   *dataset.Dataset // that it was trained on
	Lists
	Out string // the folder of the new run, which must not exist
	// Tolerance is the distance between parameters and those of the minimiser of ℓ_up without what is forgotten that is
	// accepted instead of training again, where it is known; 0 for none.
	Tolerance float64

	Progress func(train.Event)      // called after epochs; may be nil
	Notice   func(string)           // called with messages for the user, a sentence each; may be nil
	Page     func(dir string) error // makes the page of a run; nil for none
}

// Run makes the new run and returns its receipt. If anything fails, no folder is left.
func Run(ctx context.Context, r Request) (_ *Receipt, err error) {
	began := time.Now()
	if err := r.Check(); err != nil {
		return nil, err
	}
	gone, sums, err := r.read(r.Data)
	if err != nil {
		return nil, err
	}
	d, err := r.Data.Without(gone)
	if err != nil {
		return nil, &train.BadData{Data: r.Data.Name, Text: strings.TrimPrefix(err.Error(), r.Data.Name+": ")}
	}
	t := newTraces(r.Data, d, gone)
	blanked := t.blank(d)
	if d, err = importer.Refit(d); err != nil {
		return nil, err
	}
	undo := files.Undo(r.Out)
	defer func() {
		if err != nil {
			err = errors.Join(err, undo())
		}
	}()
	if err := os.MkdirAll(r.Out, 0o777); err != nil {
		return nil, err
	}
	x := r.receipt(d, gone, sums, blanked)
	if err := r.learn(ctx, d, x); err != nil {
		return nil, err
	}
	if r.Page != nil {
		if err := r.Page(r.Out); err != nil {
			return nil, err
		}
	}
	return x, r.end(t, x, began)
}

// Check refuses what cannot be started; Run calls it too.
func (r *Request) Check() error {
	if r.Lists == (Lists{}) {
		return task.Usage("what is to be forgotten? name a table with --nodes, --edges or --labels")
	}
	if r.Out == "" {
		return task.Usage("where is the new run to go? name its folder with --out; the old one is not changed")
	}
	if _, err := os.Lstat(r.Out); err == nil {
		return task.Usage("%s exists already: choose another folder for --out", r.Out)
	}
	if !(r.Tolerance >= 0) {
		return task.Usage("--tolerance is %g, want 0 or above", r.Tolerance)
	}
	if _, err := os.Stat(filepath.Join(r.Run, relational.RecordFile)); err == nil {
		return &train.BadData{Data: r.Run, Text: "it answers a question about a database: delete the rows there, " +
			"import it and ask again"}
	}
	return nil
}

// learn writes the data into the new folder, and the model made from it.
func (r *Request) learn(ctx context.Context, d *dataset.Dataset, x *Receipt) error {
	c, file := r.Config, filepath.Join(r.Out, "data.bloom")
	if err := native.Write(file, d); err != nil {
		return err
	}
	d, err := catalogue.Open(file)
	if err != nil {
		return err
	}
	defer d.Close()
	c.Data.Name = file
	o := train.Options{Dir: r.Out, Progress: r.Progress, Notice: r.Notice}
	var k task.Kind = kinds.Of(&c)
	if k == task.Kind(node.Kind{}) {
		if r.Tolerance > 0 {
			moved, err := r.move(ctx, c, d, x)
			if moved || err != nil {
				return err
			}
		}
		raced, err := node.RaceAgain(ctx, r.Run, c, d)
		if err != nil {
			return err
		}
		if raced != nil {
			c = raced.Config
			c.Data.Name = file
			k, x.Choice = node.Kind{Raced: raced}, "compared again: "+raced.Name
		}
	}
	x.Method = "trained again"
	if c.Recipe == "closed" {
		x.Method = "solved again"
	}
	x.Exact = true
	result, err := k.Train(ctx, c, d, o)
	if err == nil {
		x.Learning = result.Seconds
	}
	return err
}

// move makes the model by Newton steps, if its distance from the minimiser of ℓ_up is known and within the tolerance,
// as that of the old run was: training again would end no closer.
func (r *Request) move(ctx context.Context, c config.Config, d *dataset.Dataset, x *Receipt) (moved bool, err error) {
	t, err := node.Load(r.Run, r.Config, r.Data, node.Options{})
	if err != nil {
		return false, err
	}
	start, m, err := t.Move()
	if err != nil {
		x.Why = fmt.Sprintf("no bound is known without training again: %v", err)
		return false, nil
	}
	if m.Trained > r.Tolerance {
		x.Why = fmt.Sprintf("training ended within %.2g of the weights that fit best, not within %g", m.Trained,
			r.Tolerance)
		return false, nil
	}
	o := train.Options{Dir: r.Out, Progress: r.Progress, Notice: r.Notice}
	_, err = node.Run(ctx, c, d, node.Options{Options: o, Energies: true, Start: start})
	x.Method, x.Bound, x.Trained, x.Steps = "moved by Newton steps", &m.Bound, &m.Trained, m.Steps
	x.Learning = m.Seconds
	if err == nil && m.Bound > r.Tolerance {
		err = fmt.Errorf("the weights are within %.2g of the best ones, not within %g", m.Bound, r.Tolerance)
	}
	return true, err
}

// answers is the file of a run that has them.
const answers = "predictions.csv"

// end searches the folder, and completes and writes the receipt.
func (r *Request) end(t *traces, x *Receipt, began time.Time) error {
	if err := t.search(r.Out); err != nil {
		return fmt.Errorf("%w: the new run was not kept", err)
	}
	x.Checked = Checked{Files: t.searched, IDs: len(t.gone), Words: len(t.telling)}
	x.Seconds = time.Since(began).Seconds()
	for at, file := range map[*string]string{&x.Model.Before: filepath.Join(r.Run, "model.safetensors"),
		&x.Model.After: filepath.Join(r.Out, "model.safetensors"), &x.Data.After: filepath.Join(r.Out, "data.bloom"),
		&x.Answers.Before: filepath.Join(r.Run, answers), &x.Answers.After: filepath.Join(r.Out, answers)} {
		if at == &x.Answers.Before && !files.Exists(file) {
			continue
		}
		var err error
		if *at, err = sumOf(file); err != nil {
			return err
		}
	}
	if err := x.write(r.Out); err != nil {
		return err
	}
	return files.Seal(r.Out)
}

// blank empties the cells of tables that are one of the ids that are gone: references of other rows. It returns how
// many there were.
func (t *traces) blank(d *dataset.Dataset) (count int) {
	if d.Raw == nil {
		return 0
	}
	for _, columns := range append(slices.Clone(d.Raw.Nodes), d.Raw.Edges) {
		for k := range columns {
			c := &columns[k]
			var texts dataset.Texts
			for i := range c.Values.Len() {
				text := c.Values.Get(i)
				if _, is := slices.BinarySearch(t.telling, strings.TrimSpace(string(text))); is {
					text, count = nil, count+1
				}
				texts.Append(text)
			}
			c.Values = texts
		}
	}
	return count
}

// receipt begins the receipt.
func (r *Request) receipt(d *dataset.Dataset, gone dataset.Gone, sums map[string]string, blanked int) *Receipt {
	x := &Receipt{When: time.Now().UTC().Truncate(time.Second), Recipe: r.Config.Recipe, Requests: sums}
	x.Forgotten = Forgotten{Nodes: len(gone.Nodes), Edges: len(gone.Edges), Labels: len(gone.Labels),
		More:    r.Data.Graph.NumNodes() - d.Graph.NumNodes() - len(gone.Nodes),
		OfNodes: r.Data.Graph.NumEdges() - d.Graph.NumEdges() - len(gone.Edges),
		Classes: len(r.Data.Labels.Names) - len(d.Labels.Names), Cells: blanked}
	x.Data.Name = cmp.Or(catalogue.File(r.Config.Data.Name), r.Config.Data.Name)
	x.Left = []string{fmt.Sprintf("the old run, %s: delete it with its predictions, pages and journals", r.Run),
		fmt.Sprintf("the old data, %s, and the tables that it was made from: delete or clean them", x.Data.Name),
		"whatever was copied from either: exports, backups, running servers"}
	return x
}

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
