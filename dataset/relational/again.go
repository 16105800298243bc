package relational

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
)

// RecordFile is the file of a run that says what was asked.
const RecordFile = "ask.json"

// Record is what a run about questions keeps, to ask again at another time.
type Record struct {
	Data    string        `json:"data"`  // the database
	Table   string        `json:"table"` // of the entities
	Entity  string        `json:"entity"`
	At      string        `json:"at"`
	Label   string        `json:"label"`
	Horizon time.Duration `json:"horizon"`
	Columns []string      `json:"columns"`
	Joined  bool          `json:"joined"` // questions of the same time have edges
}

// OpenRecord reads the record of a run.
func OpenRecord(dir string) (*Record, error) {
	path := filepath.Join(dir, RecordFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, files.Because(path, err)
	}
	r := &Record{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, files.Because(path, err)
	}
	return r, nil
}

// keep writes the record of rows into a run folder.
func (r *Rows) keep(db *Database, dir, data string) error {
	var schema []dataset.TableKeys
	for _, t := range db.Tables {
		x := t.TableKeys
		x.Columns = nil
		schema = append(schema, x)
	}
	record := Record{Data: data, Table: r.Ask.table.Name, Entity: r.Ask.Entity, At: r.Ask.At, Label: r.Ask.Label,
		Horizon: r.Ask.Horizon, Joined: r.Ask.Joined}
	for _, c := range r.Columns {
		record.Columns = append(record.Columns, c.Name)
	}
	if err := keepJSON(filepath.Join(dir, dataset.SchemaFile), schema); err != nil {
		return err
	}
	return keepJSON(filepath.Join(dir, RecordFile), record)
}

func keepJSON(path string, x any) error {
	return files.Replace(path, files.WriteOptions{}, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(x)
	})
}

// AskAgain writes the rows of the same question at another time into a folder, as RowsFile and, if rows of the run have
// edges, EdgesFile: about every entity with a row of the last twelve horizons. Labels of the run's questions are known
// a horizon after their time.
func (db *Database) AskAgain(dir string, r *Record, at time.Time, to string) (questions int, err error) {
	ask, err := db.ReadAsk(filepath.Join(dir, AskFile), AskOptions{Entity: r.Entity, At: r.At, Label: r.Label,
		Horizon: r.Horizon})
	if err != nil {
		return 0, err
	}
	if ask.table, err = db.Find(r.Table); err != nil {
		return 0, err
	}
	ask.Joined = r.Joined
	for i := range ask.Questions {
		ask.Questions[i].Split = "" // all labels are known in time
	}
	before := len(ask.Questions)
	if err := db.active(ask, at); err != nil {
		return 0, err
	}
	if questions = len(ask.Questions) - before; questions == 0 {
		return 0, fmt.Errorf("no row of %s has rows that refer to it in the %s before %s", r.Table,
			daysText(12*r.Horizon), at.Format(time.DateOnly))
	}
	kept := map[string]bool{}
	for _, name := range r.Columns {
		kept[name] = true
	}
	rows := db.allRows(ask, kept)
	names, row := rows.Texts()
	told := len(names) - 2 // without label and split
	err = writeCSV(filepath.Join(to, RowsFile), names[:told], questions, func(i int) []string {
		return row(before + i)[:told]
	})
	if err != nil || !r.Joined {
		return questions, err
	}
	rows.Edges = slices.DeleteFunc(rows.Edges, func(e Edge) bool { return int(min(e.U, e.V)) < before })
	return questions, rows.writeEdges(to)
}

// active adds questions about the entities that had a row lately.
func (db *Database) active(ask *Ask, at time.Time) error {
	t := ask.table
	key, seen := t.column(t.Key), make([]bool, t.Rows)
	for _, s := range db.streams(slices.Index(db.Tables, t), false) {
		for e := range t.Rows {
			known := s.before(question{int32(e), at.Unix()})
			if n := len(known); n > 0 && s.known[known[n-1]] > at.Unix()-12*ask.horizon() {
				seen[e] = true
			}
		}
	}
	for e, is := range seen {
		if is {
			ask.Questions = append(ask.Questions, Question{Entity: t.text(key, e), At: at, row: int32(e),
				value: math.NaN(), age: ask.age(at)})
		}
	}
	return nil
}
