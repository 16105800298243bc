package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// header is the first line of a study's file: everything that its trials depend on besides their numbers.
type header struct {
	Study map[string]string `json:"study"`
}

// trialLine is a trial that has ended, as a line of the file. Value and the values of Reports are finite or absent, as
// JSON has no NaN.
type trialLine struct {
	Record
	Value *float64 `json:"value,omitempty"`
	Set   []string `json:"set"` // for people; Point is what is read
}

// open reads the file of the study, or starts one if there is none.
func (r *run) open() error {
	if r.File == "" {
		return nil
	}
	text, err := os.ReadFile(r.File)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return files.Because(r.File, err)
	}
	size := bytes.LastIndexByte(text, '\n') + 1
	if err := r.read(text[:size]); err != nil {
		return err
	}
	if size < len(text) {
		if r.Notice != nil {
			r.Notice(fmt.Sprintf("%s:%d: the last line is cut off, as a process that is killed leaves it: it is "+
				"dropped, and its trial is run again", r.File, bytes.Count(text, []byte("\n"))+1))
		}
		if err := os.Truncate(r.File, int64(size)); err != nil {
			return files.Because(r.File, err)
		}
	}
	if r.file, err = os.OpenFile(r.File, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
		return files.Because(r.File, err)
	}
	if size == 0 {
		return r.write(header{r.about()})
	}
	return nil
}

// write appends a line, and returns when it is on the disk.
func (r *run) write(line any) error {
	if r.file == nil {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(line); err != nil {
		return files.Because(r.File, err)
	}
	_, err := r.file.Write(b.Bytes())
	return errors.Join(err, r.file.Sync())
}

func (r *run) writeTrial(t *Record) error {
	line := trialLine{Record: *t, Set: r.Space.Settings(t.Point)}
	if !math.IsNaN(t.Value) {
		line.Value = &t.Value
	}
	line.Reports = slices.DeleteFunc(slices.Clone(t.Reports), func(x Report) bool { return math.IsNaN(x.Value) })
	return r.write(line)
}

// read takes over the trials of a file, which must be of this study.
func (r *run) read(text []byte) error {
	line := 0
	for one := range bytes.Lines(text) {
		if line++; line == 1 {
			var h header
			if err := json.Unmarshal(one, &h); err != nil || h.Study == nil {
				return files.ErrorAt(r.File, line, "not the first line of a study")
			}
			if err := r.match(h.Study); err != nil {
				return err
			}
			continue
		}
		var t trialLine
		if err := json.Unmarshal(one, &t); err != nil {
			return files.ErrorAt(r.File, line, "not a trial: %v", err)
		}
		if err := r.addTrial(t); err != nil {
			return files.ErrorAt(r.File, line, "trial %d: %v", t.Number, err)
		}
	}
	slices.SortFunc(r.trials, func(a, b *Record) int { return a.Number - b.Number })
	return nil
}

// addTrial adds a trial of the file, or says what is wrong with it.
func (r *run) addTrial(t trialLine) error {
	switch {
	case t.Number < 0 || slices.ContainsFunc(r.trials, func(x *Record) bool { return x.Number == t.Number }):
		return errors.New("its number is negative or a duplicate")
	case !slices.Contains([]State{Complete, Pruned, Failed}, t.State):
		return fmt.Errorf("there is no state %q", t.State)
	case t.State == Complete && t.Value == nil:
		return errors.New("it is complete and has no value")
	case len(t.Point) != len(r.Space):
		return fmt.Errorf("%d values for %d keys", len(t.Point), len(r.Space))
	}
	for i, p := range r.Space {
		if !p.Domain.Contains(t.Point[i]) {
			return fmt.Errorf("%s is %v, which is not among its values", p.Key, t.Point[i])
		}
	}
	if t.Record.Value = math.NaN(); t.Value != nil {
		t.Record.Value = *t.Value
	}
	r.trials = append(r.trials, &t.Record)
	return nil
}

// about is everything that must be the same for a study to be continued.
func (s *Study) about() map[string]string {
	direction := "maximize"
	if s.Direction == Minimize {
		direction = "minimize"
	}
	var space strings.Builder
	for _, p := range s.Space {
		fmt.Fprintf(&space, "%s: %+v\n", p.Key, p.Domain)
	}
	all := map[string]string{"name": s.Name, "direction": direction, "sampler": s.Sampler.String(),
		"seed": fmt.Sprint(s.Seed), "space": space.String()}
	maps.Copy(all, s.About)
	return all
}

// match returns an error if a file belongs to a study that this one does not continue.
func (r *run) match(was map[string]string) error {
	about := r.about()
	for _, key := range slices.Sorted(maps.Keys(about)) {
		if was[key] == about[key] {
			continue
		}
		old, now := files.Difference(was[key], about[key])
		return files.Errorf(r.File, "cannot continue this study: its %s was %q and is now %q; choose another folder "+
			"for another study", key, old, now)
	}
	return nil
}
