package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	if former := filepath.Join(dir, formerName); files.Exists(former) {
		return nil, nil, fmt.Errorf("%s is the journal of an earlier version of bloom, which this version cannot "+
			"read: serve the run with that version and train on its GET /v1/snapshot, or move the journal away to "+
			"start without its edits", former)
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
	if j.locked != nil {
		defer j.locked()
	}
	if j.log != nil {
		return j.log.Close()
	}
	return nil
}

// history holds the edits of a journal, as far as they matter: the net effect of the edits that cannot be undone, and
// the batches that can.
type history struct {
	data   string
	base   *fold
	recent []batchOf
}

// batchOf holds the edits of a version.
type batchOf struct {
	Version int64  `json:"version"`
	Edits   []Edit `json:"edits"`
}

// firstLine is the first line of a journal: a history.
type firstLine struct {
	Data   string    `json:"data"`
	Base   []Edit    `json:"base,omitempty"`
	Recent []batchOf `json:"recent,omitempty"`
}

func newHistory(data string) *history { return &history{data: data} }

// text returns the history as the first line of a journal.
func (h *history) text() []byte {
	text, err := json.Marshal(firstLine{h.data, h.edits(), h.recent})
	must(err) // it is made of edits that were read
	return text
}

// edits returns the net effect of the versions that cannot be undone.
func (h *history) edits() []Edit {
	if h.base == nil {
		return nil
	}
	return h.base.edits()
}

// read takes a line of a journal.
func (h *history) read(version int64, text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if h.base == nil {
		h.base = newFold()
		var begin firstLine
		if err := d.Decode(&begin); err != nil {
			return err
		}
		if begin.Data != h.data {
			return fmt.Errorf("the edits in it were made to other data; move %s* away to start from scratch",
				journalName)
		}
		for _, e := range begin.Base {
			h.base.add(e)
		}
		h.recent = begin.Recent
		return nil
	}
	var e entry
	if err := d.Decode(&e); err != nil {
		return err
	}
	if e.Undo == 0 {
		h.add(batchOf{version, e.Edits})
		return nil
	}
	last := len(h.recent) - 1
	if last < 0 || h.recent[last].Version != e.Undo {
		return fmt.Errorf("it reverts version %d, which is not the latest", e.Undo)
	}
	h.recent = h.recent[:last]
	return nil
}

// add adds a batch; if there are too many, the oldest can no longer be undone.
func (h *history) add(b batchOf) {
	h.recent = append(h.recent, b)
	if len(h.recent) > memory {
		for _, e := range h.recent[0].Edits {
			h.base.add(e)
		}
		h.recent = h.recent[1:]
	}
}
