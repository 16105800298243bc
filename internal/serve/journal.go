package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/files"
)

// journal holds the batches of edits of one run, in a file of its folder: a batch is durable once append returns, and
// reading returns what was written, or an error.
type journal struct {
	path    string
	data    string // a mark of the data set that the edits were made to
	log     *files.Journal
	version int64
	next    int64        // the version at which it may be made short
	locked  func()       // ends the lock of the folder; may be nil
	refuses error        // why nothing can be written
	say     func(string) // receives notices for people
}

// entry is one version: edits, or the version that was taken back.
type entry struct {
	Edits []Edit `json:"edits,omitempty"`
	Undo  int64  `json:"undo,omitempty"`
}

// journalName and formerName are the files of the journal, and of the journal of earlier versions of the program.
const (
	journalName = "edits.journal"
	formerName  = "edits.db"
)

// openJournal opens the journal of the run in dir, and reads it. It belongs to the data with the given mark; opening
// it for other data, or while another process serves the run, is an error that says so. If the folder is not writable,
// append returns an error, and say is called.
func openJournal(dir, data string, say func(string)) (*journal, *history, error) {
	if former := filepath.Join(dir, formerName); exists(former) {
		return nil, nil, fmt.Errorf("%s is the journal of an earlier version of bloom, which this version cannot "+
			"read: serve the run with that version and train on its GET /v1/snapshot, or move the journal away to "+
			"start without its edits",
			former)
	}
	j := &journal{path: filepath.Join(dir, journalName), data: data, say: say}
	var held *files.Held
	if j.locked, j.refuses = files.Serve(dir, say); errors.As(j.refuses, &held) {
		return nil, nil, held
	}
	past, err := j.read()
	if err != nil {
		return nil, nil, errors.Join(err, j.close())
	}
	j.next = j.version
	if j.log.Torn() {
		say(fmt.Sprintf("%s: what follows version %d was not written completely and was never acknowledged: it is "+
			"left out", j.path, j.version))
	}
	switch err := j.room(); {
	case j.refuses != nil:
		j.refuses = fmt.Errorf("%s was not writable when the server started: %w", dir, j.refuses)
		say(fmt.Sprintf("read-only: %v", j.refuses))
	case err != nil:
		say(fmt.Sprintf("read-only: edits of %s are refused until they can be written: %v", dir, err))
	}
	return j, past, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// room returns an error if not even a small file can be written next to the journal.
func (j *journal) room() error {
	f, err := files.Create(j.path, files.WriteOptions{})
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(make([]byte, 64<<10)); err != nil {
		return err
	}
	return f.Sync()
}

// read reads the file again.
func (j *journal) read() (*history, error) {
	past := newHistory(j.data)
	log, err := files.OpenJournal(j.path, past.read)
	if err != nil {
		return nil, err
	}
	if j.log == nil {
		j.log, j.version = log, max(0, log.Version())
	}
	return past, nil
}

// append writes the next versions, all or none.
func (j *journal) append(entries ...entry) error {
	if j.refuses != nil || len(entries) == 0 {
		return j.refuses
	}
	var texts [][]byte
	if j.log.Version() < 0 {
		texts = append(texts, newHistory(j.data).text())
	}
	for _, e := range entries {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	if err := j.log.Append(texts...); err != nil {
		return err
	}
	j.version = j.log.Version()
	return nil
}

// shorten lets what the lines come to take their place, now and then: the time to read them does not grow with their
// number.
func (j *journal) shorten() {
	if j.log == nil || j.version < j.next || !j.log.Grown(memory) {
		return
	}
	j.next = j.version + memory
	past, err := j.read()
	if err == nil {
		err = j.log.Rewrite(past.text())
	}
	if err != nil {
		j.say(fmt.Sprintf("the journal was not compacted: %v", err))
	}
}

func (j *journal) close() error {
	if j.log == nil && j.locked == nil {
		return nil
	}
	var err error
	if j.log != nil {
		err = j.log.Close()
	}
	if j.locked != nil {
		j.locked()
	}
	return err
}
