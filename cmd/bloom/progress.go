package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// progress is a line that is written again and again while something long goes on: a bar, the share that is done, what
// is left of the time, and a note. It fits on the terminal: the bar becomes shorter, then the note is cut. Where w is
// no terminal it writes nothing.
type progress struct {
	w     io.Writer
	title string
	show  bool
	paint paint
	width func() int // of the terminal, which may change
	now   func() time.Time
	start time.Time
	last  time.Time // when the line was written last
}

// refresh is the shortest time between two lines.
const refresh = 100 * time.Millisecond

// newProgress starts a line on w.
func newProgress(w io.Writer, title string) *progress {
	p := &progress{w: w, title: title, show: terminal(w), paint: painter(w), now: time.Now, width: func() int {
		return widthOf(w)
	}}
	p.start = p.now()
	return p
}

// set says that done of total are done; total may be 0 where it is not known.
func (p *progress) set(done, total int64, note string) {
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
	fmt.Fprint(p.w, "\r\x1b[K"+clip(line, width))
}

// The lengths of a bar where there is room, and where there is none.
const longBar, shortBar = 24, 6

// end removes the line.
func (p *progress) end() {
	if p.show && !p.last.IsZero() {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// text is a bar of so many letters with what is left of the time.
func (p *progress) text(done, total int64, spent time.Duration, length int) string {
	if total <= 0 {
		return p.paint.dim(fmt.Sprintf("%d after %s", done, short(spent)))
	}
	share := min(float64(done)/float64(total), 1)
	text := fmt.Sprintf("%s %3.0f%%", p.paint.line(bar(share, length)), 100*share)
	if done > 0 && done < total {
		left := time.Duration(float64(spent) * (1 - share) / share)
		text += p.paint.dim("  " + short(left) + " left")
	}
	return text
}

// bar is a bar of width letters, filled to an eighth of a letter.
func bar(share float64, width int) string {
	eighths := int(share * float64(8*width))
	full, rest := eighths/8, eighths%8
	text := strings.Repeat("█", full)
	if rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
		full++
	}
	return text + strings.Repeat("░", width-full)
}

// short is a duration for people: 0.25ms, 340ms, 7.2s, 3m05s, 2h10m.
func short(d time.Duration) string {
	switch {
	case d > 0 && d < 10*time.Millisecond:
		return fmt.Sprintf("%.2gms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// sparkline draws values as letters of eight heights, the last width of those that are finite.
func sparkline(values []float64, width int) string {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(values) > width {
		values = values[len(values)-width:]
	}
	if len(values) == 0 {
		return ""
	}
	lo, hi := values[0], values[0]
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	var b strings.Builder
	for _, v := range values {
		level := 0
		if hi > lo {
			// halves: the difference of large numbers may be no number
			level = int((v/2 - lo/2) / (hi/2 - lo/2) * 7.999)
		}
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[level])
	}
	return b.String()
}
