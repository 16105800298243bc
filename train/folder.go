package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
)

// folder is a run folder while it is written. A nil folder writes nothing.
type folder struct {
	dir     string
	through func(io.Writer) io.Writer // see Options
	saved   int                       // the epoch of the last complete checkpoint; −1 for none
	metric  string                    // the name of what is measured, quoted for JSON
	metrics *os.File
	line    []byte
	eventsF *os.File
	events  *codec.EventWriter
	scalars []codec.Scalar
}

// openFolder creates the folder dir, or opens an existing one.
func (o Options) openFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return &folder{dir: dir, through: o.through, saved: -1}, nil
}

// path returns the path of a file of the folder.
func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

// writer returns w, or what a test puts before it.
func (f *folder) writer(w io.Writer) io.Writer {
	if f.through == nil {
		return w
	}
	return f.through(w)
}

// failed wraps err with what was kept and how to continue.
func (f *folder) failed(name string, err error) error {
	if err == nil {
		return nil
	}
	return &notWritten{f.path(name), f.dir, f.saved, err}
}

// Replace writes a whole file atomically: at every moment there is either the old file or the new one, complete. The
// error is a *notWritten, or the error of write if it failed for another reason than writing.
func (f *folder) Replace(name string, write func(io.Writer) error) error {
	if f == nil {
		return nil
	}
	return f.replace(name, files.WriteOptions{}, write)
}

func (f *folder) replace(name string, o files.WriteOptions, write func(io.Writer) error) error {
	var unmade error
	err := files.Replace(f.path(name), o, func(w io.Writer) error {
		out := &watched{Writer: f.writer(w)}
		err := write(out)
		if !out.failed {
			unmade = err
		}
		return err
	})
	if unmade != nil {
		return unmade
	}
	return f.failed(name, err)
}

// watched is a Writer that knows whether it has failed.
type watched struct {
	io.Writer
	failed bool
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	w.failed = w.failed || err != nil
	return n, err
}

// Seal writes the checksums of files, of all files if none is named.
func (f *folder) Seal(names ...string) error {
	if f == nil {
		return nil
	}
	return f.failed(files.SumsFile, files.Seal(f.dir, names...))
}

// OpenLogs opens the logs. It rewrites metrics.jsonl with the known history, as a killed run may have written lines
// beyond its checkpoint.
func (f *folder) OpenLogs(metric string, history []Record) error {
	if f == nil {
		return nil
	}
	quoted, err := json.Marshal(metric)
	if err != nil {
		return err
	}
	f.metric = string(quoted)
	err = f.Replace("metrics.jsonl", func(w io.Writer) error {
		for _, r := range history {
			if _, err := w.Write(r.appendJSON(nil, f.metric)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if f.metrics, err = appendTo(f.path("metrics.jsonl")); err != nil {
		return f.failed("metrics.jsonl", err)
	}
	name, err := f.eventsName()
	if err != nil {
		return err
	}
	if f.eventsF, err = appendTo(f.path(name)); err != nil {
		return f.failed(name, err)
	}
	f.events, err = codec.NewEventWriter(f.writer(f.eventsF), now())
	return f.failed(name, err)
}

// appendTo opens a log.
func appendTo(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
}

// eventsName returns a name that no events file has yet: TensorBoard joins the events files of a folder.
func (f *folder) eventsName() (string, error) {
	for n := range 10000 {
		name := fmt.Sprintf("events.out.tfevents.%010d.bloom.%d.%d", time.Now().Unix(), os.Getpid(), n)
		if _, err := os.Stat(f.path(name)); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
	}
	return "", f.failed("events.out.tfevents", fs.ErrExist)
}

func now() float64 { return float64(time.Now().UnixMicro()) / 1e6 }

// Log appends an epoch to the logs, without allocating.
func (f *folder) Log(r Record) error {
	if f == nil {
		return nil
	}
	f.line = r.appendJSON(f.line[:0], f.metric)
	if _, err := f.writer(f.metrics).Write(f.line); err != nil {
		return f.failed("metrics.jsonl", err)
	}
	f.scalars = f.scalars[:0]
	for _, s := range [...]codec.Scalar{{Tag: "loss/train", Value: r.Loss}, {Tag: "rate", Value: r.Rate},
		{Tag: "metric/train", Value: r.Train}, {Tag: "metric/valid", Value: r.Valid},
		{Tag: "metric/test", Value: r.Test},
		{Tag: "energy/start", Value: r.Start}, {Tag: "energy/end", Value: r.End}} {
		if isFinite(s.Value) {
			f.scalars = append(f.scalars, s)
		}
	}
	return f.failed("events.out.tfevents", f.events.Scalars(now(), int64(r.Epoch), f.scalars))
}

// Checkpoint keeps the state of a training: when it has been read back it becomes the last one, and the last one the
// one before. A *notWritten that comes later names its epoch.
func (f *folder) Checkpoint(c checkpoint) error {
	if f == nil {
		return nil
	}
	if err := os.MkdirAll(f.path("checkpoint"), 0o777); err != nil {
		return f.failed("checkpoint", err)
	}
	o := files.WriteOptions{Previous: f.path(previousCheckpoint), ReadBack: true}
	err := f.replace(lastCheckpoint, o, c.Write)
	if err == nil {
		f.saved = c.epoch()
	}
	return err
}

// Resume reads the last checkpoint of the folder into c, or the previous one if the last is corrupt, which it reports
// to notice. Without a checkpoint c stays as it is.
func (f *folder) Resume(c checkpoint, notice func(string)) error {
	var spoilt error
	for _, name := range []string{lastCheckpoint, previousCheckpoint} {
		switch err := c.Read(f.path(name)); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			spoilt = errors.Join(spoilt, err)
		default:
			if spoilt != nil && notice != nil {
				notice(fmt.Sprintf("%v; the run resumes from the checkpoint before it, of epoch %d", spoilt, c.epoch()))
			}
			f.saved = c.epoch()
			return nil
		}
	}
	if spoilt == nil {
		return nil
	}
	return fmt.Errorf("%w. To train from the beginning, remove %s", first(spoilt), f.path("checkpoint"))
}

// Close closes the logs.
func (f *folder) Close() error {
	if f == nil {
		return nil
	}
	var errs []error
	for _, x := range []*os.File{f.metrics, f.eventsF} {
		if x != nil {
			errs = append(errs, x.Close())
		}
	}
	f.metrics, f.eventsF = nil, nil
	return errors.Join(errs...)
}

// Record is what is known about an epoch. Numbers that were not measured are NaN.
type Record struct {
	Epoch  int     // how many are done
	Loss   float64 // the mean of its batches, before their updates, with dropout
	Rate   float64 // of its first update
	Scores         // after its last update, without dropout
}

// appendJSON appends r as one line of JSON, with the metric under its name, in quotes, for the three parts of the data:
//
//	{"epoch":1,"loss":1.9,"rate":0.3,"train":{"accuracy":0.2},"valid":{…},"test":{…},"energy":{"start":10,"end":3}}
//
// Numbers that are not finite are left out: JSON has none.
func (r Record) appendJSON(b []byte, metric string) []byte {
	b = strconv.AppendInt(append(b, `{"epoch":`...), int64(r.Epoch), 10)
	b = appendNumber(b, "loss", r.Loss)
	b = appendNumber(b, "rate", r.Rate)
	for _, part := range [...]struct {
		name  string
		value float64
	}{{"train", r.Train}, {"valid", r.Valid}, {"test", r.Test}} {
		if isFinite(part.value) {
			b = append(append(append(b, `,"`...), part.name...), `":{`...)
			b = append(append(b, metric...), ':')
			b = append(strconv.AppendFloat(b, part.value, 'g', -1, 64), '}')
		}
	}
	if isFinite(r.Start) && isFinite(r.End) {
		b = strconv.AppendFloat(append(b, `,"energy":{"start":`...), r.Start, 'g', -1, 64)
		b = append(strconv.AppendFloat(append(b, `,"end":`...), r.End, 'g', -1, 64), '}')
	}
	return append(b, "}\n"...)
}

func appendNumber(b []byte, name string, v float64) []byte {
	if !isFinite(v) {
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":`...)
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
