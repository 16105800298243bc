package show

import (
	"fmt"
	"time"
)

// Duration returns a duration for people: 0.25ms, 340ms, 7.2s, 3m05s, 2h10m.
func Duration(d time.Duration) string {
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

// Seconds returns a number of them as a Duration.
func Seconds(s float64) string { return Duration(time.Duration(s * float64(time.Second))) }

// Thousands sets every three digits off: 1,166,243.
func Thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Plural returns a count with its noun.
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Thousands(n) + " " + noun
}

// Size returns a number of bytes for people.
func Size(bytes int) string {
	switch b := float64(bytes); {
	case b < 1e6:
		return fmt.Sprintf("%.0f kB", b/1e3)
	case b < 1e9:
		return fmt.Sprintf("%.1f MB", b/1e6)
	default:
		return fmt.Sprintf("%.1f GB", b/1e9)
	}
}

// Shorten cuts text to n letters.
func Shorten(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
