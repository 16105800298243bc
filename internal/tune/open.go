package tune

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// open opens the journal: a new one gets its first lines, an old one is replayed.
func (r *run) open() error {
	if r.Journal == "" {
		return nil
	}
	text, err := os.ReadFile(r.Journal)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return files.Because(r.Journal, err)
	}
	p := &replay{file: r.Journal, space: r.Space}
	size, err := p.read(text)
	if err != nil {
		return err
	}
	if err := r.match(p); err != nil {
		return err
	}
	if size < len(text) { // a last line that was cut off
		r.note(fmt.Sprintf("%s:%d: the last line is cut off, as a process that is killed leaves it: it is dropped, "+
			"and what it was about is done again", r.Journal, p.line+1))
		if err := os.Truncate(r.Journal, int64(size)); err != nil {
			return files.Because(r.Journal, err)
		}
	}
	f, err := os.OpenFile(r.Journal, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return files.Because(r.Journal, err)
	}
	r.journal = &journal{file: f, size: int64(size), seen: p.others}
	if err := r.resume(p); err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}

// note tells a person something.
func (r *run) note(text string) {
	if r.Notice != nil {
		r.Notice(text)
	}
}

// resume goes on from what a journal says: trials that were running are marked failed.
func (r *run) resume(p *replay) error {
	r.trials = p.trials
	var lines []any
	if !p.created {
		p.created = true
		lines = r.beginning()
	}
	for _, t := range r.trials {
		if t.State == Running {
			t.State, t.Stopped, t.Error, t.End = Failed, true, stopped, now()
			lines = append(lines, ending(t, 0)...)
		}
	}
	return errors.Join(r.journal.append(lines...), r.journal.flush())
}

// beginning are the first lines of a journal.
func (r *run) beginning() []any {
	w := worker(0)
	lines := []any{studyLine{head{opStudy, w}, r.Name, []int{r.Direction.code()}}}
	about := r.about()
	for _, key := range slices.Sorted(maps.Keys(about)) {
		lines = append(lines, studyAttrLine{head{opStudyAttr, w}, 0, map[string]string{key: about[key]}})
	}
	return lines
}

// match returns an error where the journal is of a study that this one does not continue.
func (r *run) match(p *replay) error {
	if !p.created {
		return nil
	}
	other := func(what, was, is string) error {
		return files.Errorf(r.Journal, "cannot go on with this study: %s was %s and is now %s; choose another folder "+
			"for another study", what, was, is)
	}
	if p.name != r.Name {
		return other("its name", fmt.Sprintf("%q", p.name), fmt.Sprintf("%q", r.Name))
	}
	if p.direction != r.Direction {
		return files.Errorf(r.Journal, "cannot go on with this study: it looks for the other end of the values")
	}
	about := r.about()
	for _, key := range slices.Sorted(maps.Keys(about)) {
		was, ok := p.attrs[key]
		if ok && was == about[key] {
			continue
		}
		if was, is, at := firstDifference(was, about[key]); at > 0 {
			return other(fmt.Sprintf("%s, in line %d,", key, at), was, is)
		}
		return other(key, fmt.Sprintf("%q", was), fmt.Sprintf("%q", about[key]))
	}
	return nil
}

// others looks at lines that another program wrote while the study was running. The dashboard may say something about
// the study; nobody else may begin trials, as their numbers follow from the order of lines.
func (r *replay) others(lines []byte) error {
	shadow := &replay{file: r.file, space: r.space, line: r.line, created: true, summed: true,
		attrs: map[string]string{}}
	if _, err := shadow.read(lines); err != nil || len(shadow.trials) > 0 {
		return files.Errorf(r.file, "another program is running trials of this study; one at a time")
	}
	return nil
}

// firstDifference is the first line in which two texts of several lines differ, and its number; 0 where they have one
// line.
func firstDifference(a, b string) (lineA, lineB string, number int) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	if len(x) < 2 || len(y) < 2 {
		return "", "", 0
	}
	for i := range max(len(x), len(y)) {
		lineA, lineB = "missing", "missing"
		if i < len(x) {
			lineA = fmt.Sprintf("%q", strings.TrimSpace(x[i]))
		}
		if i < len(y) {
			lineB = fmt.Sprintf("%q", strings.TrimSpace(y[i]))
		}
		if lineA != lineB {
			return lineA, lineB, i + 1
		}
	}
	return "", "", 0
}
