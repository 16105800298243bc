package show

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
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

// Bar returns a bar of width letters, filled to an eighth of a letter.
func Bar(share float64, width int) string {
	eighths := int(share * float64(8*width))
	full, rest := eighths/8, eighths%8
	text := strings.Repeat("█", full)
	if rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
		full++
	}
	return text + strings.Repeat("░", width-full)
}

// Sparkline draws values as letters of eight heights, the last width finite ones.
func Sparkline(values []float64, width int) string {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v - v) }) // not finite
	values = values[max(0, len(values)-width):]
	if len(values) == 0 {
		return ""
	}
	lo, hi := slices.Min(values), slices.Max(values)
	var b strings.Builder
	for _, v := range values {
		level := 0
		if hi > lo {
			// halves: the difference of large numbers may be infinite
			level = int((v/2 - lo/2) / (hi/2 - lo/2) * 7.999)
		}
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[level])
	}
	return b.String()
}

// Pull is up to ten blocks for the size of x, by its sign in the colour of good or bad.
func Pull(x, largest float64, p Paint) string {
	if math.IsNaN(x) || math.IsInf(x, 0) || math.IsNaN(largest) {
		return ""
	}
	blocks := strings.Repeat("█", int(10*math.Abs(x)/max(largest, 1e-30)+0.5))
	if x < 0 {
		return p.Bad(blocks)
	}
	return p.Good(blocks)
}

// Largest returns the largest size of the numbers of a list, for Pull.
func Largest[T any](list []T, number func(T) float64) float64 {
	largest := 0.0
	for _, x := range list {
		largest = max(largest, math.Abs(number(x)))
	}
	return largest
}
