package show

import (
	"fmt"
	"io"
	"time"
)

// Progress is a line that is rewritten during a long operation: a bar, the share that is done, the remaining time, and
// a note. It fits on the terminal: the bar becomes shorter, then the note is cut. If w is not a terminal it writes
// nothing.
type Progress struct {
	w     io.Writer
	title string
	show  bool
	paint Paint
	width func() int // of the terminal, which may change
	now   func() time.Time
	start time.Time
	last  time.Time // when the line was written last
}

// refresh is the shortest time between two lines.
const refresh = 100 * time.Millisecond

// NewProgress starts a line on w.
func NewProgress(w io.Writer, title string) *Progress {
	p := &Progress{w: below(w), title: title, show: IsTerminal(w), paint: Painter(w), now: time.Now, width: func() int {
		return ScreenWidth(w)
	}}
	p.start = p.now()
	return p
}

// Set says that done of total are done; total may be 0 if it is not known.
func (p *Progress) Set(done, total int64, note string) {
	now := p.now()
	if !p.show || now.Sub(p.last) < refresh && done != total {
		return
	}
	p.last = now
	if note != "" {
		note = "  " + note
	}
	width := p.width() - 1 // a letter in the last column makes some terminals begin a new line
	line := p.title + " " + p.text(done, total, now.Sub(p.start), longBar) + note
	if more := visible(line) - width; more > 0 {
		line = p.title + " " + p.text(done, total, now.Sub(p.start), max(shortBar, longBar-more)) + note
	}
	fmt.Fprint(p.w, "\r\x1b[K"+render(clip(line, width)))
}

// The lengths of a bar, with room for it and without.
const longBar, shortBar = 24, 6

// End removes the line.
func (p *Progress) End() {
	if p.show && !p.last.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// text returns a bar of the given length with the remaining time.
func (p *Progress) text(done, total int64, spent time.Duration, length int) string {
	if total <= 0 {
		return p.paint.Dim(fmt.Sprintf("%d after %s", done, Duration(spent)))
	}
	share := min(float64(done)/float64(total), 1)
	text := fmt.Sprintf("%s %3.0f%%", p.paint.Line(Bar(share, length)), 100*share)
	if done > 0 && done < total {
		left := time.Duration(float64(spent) * (1 - share) / share)
		text += p.paint.Dim("  " + Duration(left) + " left")
	}
	return text
}
