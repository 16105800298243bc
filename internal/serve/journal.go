package serve

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"modernc.org/sqlite"
)

// journal are the batches of edits of one run, in a database: a batch is there once append returns, whatever happens
// then, since with synchronous=FULL the write-ahead log is on the disk after every commit.
type journal struct {
	db      *sql.DB
	insert  *sql.Stmt
	version int64
}

// entry is one version: edits, or the version that was taken back.
type entry struct {
	Edits []Edit `json:"edits,omitempty"`
	Undo  int64  `json:"undo,omitempty"`
}

// openJournal opens the journal in a file, or makes it. It belongs to the data with the given mark;
// the error for another is clear.
func openJournal(path, mark string) (*journal, error) {
	const settings = "?_pragma=locking_mode(EXCLUSIVE)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+settings)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	j := &journal{db: db}
	if err := j.prepare(mark); err != nil {
		_ = db.Close()
		var held *sqlite.Error
		if errors.As(err, &held) && held.Code()&0xff == busy {
			return nil, fmt.Errorf("%s: another process serves this run", path)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return j, nil
}

// busy is SQLite's code for a database that another process holds.
const busy = 5

func (j *journal) prepare(mark string) error {
	for _, text := range []string{
		`CREATE TABLE IF NOT EXISTS about (mark TEXT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS edits (version INTEGER PRIMARY KEY, entry BLOB NOT NULL)`,
	} {
		if _, err := j.db.Exec(text); err != nil {
			return err
		}
	}
	var found string
	switch err := j.db.QueryRow(`SELECT mark FROM about`).Scan(&found); {
	case err == sql.ErrNoRows:
		if _, err := j.db.Exec(`INSERT INTO about VALUES (?)`, mark); err != nil {
			return err
		}
	case err != nil:
		return err
	case found != mark:
		return fmt.Errorf("the edits in it were made to other data; move it away to begin anew")
	}
	var last sql.NullInt64
	if err := j.db.QueryRow(`SELECT max(version) FROM edits`).Scan(&last); err != nil {
		return err
	}
	j.version = last.Int64
	var err error
	j.insert, err = j.db.Prepare(`INSERT INTO edits VALUES (?, ?)`)
	return err
}

// append writes the next versions, all or none.
func (j *journal) append(entries ...entry) error {
	var err error
	switch len(entries) {
	case 0:
	case 1: // a transaction of its own without the words for it
		err = j.write(j.insert, entries)
	default:
		err = j.together(entries)
	}
	if err == nil {
		j.version += int64(len(entries))
	}
	return err
}

// together writes versions in one transaction.
func (j *journal) together(entries []entry) error {
	tx, err := j.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing, after Commit
	if err := j.write(tx.Stmt(j.insert), entries); err != nil {
		return err
	}
	return tx.Commit()
}

func (j *journal) write(insert *sql.Stmt, entries []entry) error {
	for i, e := range entries {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := insert.Exec(j.version+1+int64(i), text); err != nil {
			return err
		}
	}
	return nil
}

// each calls f with every version, in order.
func (j *journal) each(f func(version int64, e entry) error) error {
	rows, err := j.db.Query(`SELECT version, entry FROM edits ORDER BY version`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for want := int64(1); rows.Next(); want++ {
		var version int64
		var text []byte
		if err := rows.Scan(&version, &text); err != nil {
			return err
		}
		var e entry
		if version != want {
			return fmt.Errorf("version %d follows version %d", version, want-1)
		}
		if err := json.Unmarshal(text, &e); err != nil {
			return fmt.Errorf("version %d: %w", version, err)
		}
		if err := f(version, e); err != nil {
			return fmt.Errorf("version %d: %w", version, err)
		}
	}
	return rows.Err()
}

func (j *journal) close() error { return j.db.Close() }
