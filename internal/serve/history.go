package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
)

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
