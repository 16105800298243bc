package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Overview. A journal is a log of operations, one JSON object a line, from which the whole study follows by replay.
// Every line has op_code and worker_id, and a checksum where we wrote it; studies and trials are numbered by the order
// of the lines that create them, so that there is no number in those. The format is the one of
// optuna.storages.JournalStorage with a file backend.

// opcode says what a line does.
type opcode int

const (
	opStudy       opcode = 0 // create a study
	opDelete      opcode = 1
	opStudyAttr   opcode = 2 // set something that users know about it
	opStudySystem opcode = 3 // set something that programs know
	opTrial       opcode = 4 // create a trial
	opParam       opcode = 5
	opState       opcode = 6 // set state and value
	opReport      opcode = 7 // set a value on the way
	opAttr        opcode = 8
	opSystem      opcode = 9
)

// The keys that we add to trials and studies.
const (
	placeKey   = "bloom:place"   // of a trial, for programs
	stoppedKey = "bloom:stopped" // of a trial, for programs
	errorKey   = "error"         // of a trial, for users
	samplerKey = "sampler"       // of a study, for users
	seedKey    = "seed"          // of a study, for users
)

// head begins every line.
type head struct {
	Op     opcode `json:"op_code"`
	Worker string `json:"worker_id"`
}

type studyLine struct {
	head
	Name       string `json:"study_name"`
	Directions []int  `json:"directions"` // 1 minimize, 2 maximize
}

type studyAttrLine struct {
	head
	Study int               `json:"study_id"`
	Attr  map[string]string `json:"user_attr"`
}

type trialLine struct {
	head
	Study int    `json:"study_id"`
	Start string `json:"datetime_start"`
}

type paramLine struct {
	head
	Trial        int     `json:"trial_id"`
	Name         string  `json:"param_name"`
	Value        float64 `json:"param_value_internal"`
	Distribution string  `json:"distribution"`
}

type stateLine struct {
	head
	Trial  int       `json:"trial_id"`
	State  State     `json:"state"`
	Values []float64 `json:"values"` // one, or null
	End    string    `json:"datetime_complete"`
}

type reportLine struct {
	head
	Trial int     `json:"trial_id"`
	Step  int     `json:"step"`
	Value float64 `json:"intermediate_value"`
}

type attrLine struct {
	head
	Trial int            `json:"trial_id"`
	Attr  map[string]any `json:"user_attr"`
}

type systemLine struct {
	head
	Trial int            `json:"trial_id"`
	Attr  map[string]any `json:"system_attr"`
}

// layout is Python's isoformat with microseconds; times are local and say no zone.
const layout = "2006-01-02T15:04:05.000000"

// workerName begins the worker_id of our jobs. Optuna's own are UUIDs, from which these differ.
const workerName = "bloom-"

// worker is the worker_id of a job.
func worker(job int) string { return fmt.Sprint(workerName, job) }

// code is the number that Optuna has for a direction.
func (d Direction) code() int {
	if d == Minimize {
		return 1
	}
	return 2
}

// journal is the file of a study that is running. Nil is none.
type journal struct {
	file *os.File
	size int64                    // of what was replayed or written here
	seen func(lines []byte) error // is given lines that others wrote
}

// append writes lines in one go. Lines that other programs wrote in between are looked at first: the dashboard may add
// notes.
func (j *journal) append(lines ...any) error {
	if j == nil {
		return nil
	}
	if err := j.sync(); err != nil {
		return err
	}
	var all, b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, line := range lines {
		b.Reset()
		if err := e.Encode(line); err != nil {
			return fmt.Errorf("%s: %w", j.file.Name(), err)
		}
		all.Write(append(summed(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), '\n'))
	}
	n, err := j.file.Write(all.Bytes())
	j.size += int64(n)
	return err
}

// sync reads what others wrote.
func (j *journal) sync() error {
	info, err := j.file.Stat()
	if err != nil || info.Size() == j.size {
		return err
	}
	if info.Size() < j.size {
		return fmt.Errorf("%s: another program has cut the journal off", j.file.Name())
	}
	lines := make([]byte, info.Size()-j.size)
	if _, err := j.file.ReadAt(lines, j.size); err != nil {
		return err
	}
	j.size = info.Size()
	return j.seen(lines)
}

// flush makes sure that what was written survives the machine.
func (j *journal) flush() error {
	if j == nil {
		return nil
	}
	return j.file.Sync()
}

func (j *journal) close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}

// now is the time as a line has it.
func now() time.Time { return time.Now().Truncate(time.Microsecond) }
