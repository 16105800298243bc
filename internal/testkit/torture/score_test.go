//go:build torture && linux

package torture

import (
	"fmt"
	"sync"
	"testing"
)

// score counts the tries of one attack and how they ended.
type score struct {
	attack string
	unit   string // what is counted: kills, flips, files

	asked int // tries that are to be made

	mu                          sync.Mutex
	tried, lost, silent, panics int
	excess, slow                int    // tries of too much memory, or without an end
	peak, peakOf                int64  // the largest memory, and the size of the file that it was for
	skipped                     string // why the attack was not made
}

// scores are of all attacks, in the order in which they ran.
var scores []*score

func newScore(attack, unit string) *score {
	s := &score{attack: attack, unit: unit}
	scores = append(scores, s)
	return s
}

// failure is how a try can end badly.
type failure int

const (
	lost   failure = iota // a result is gone or another one
	silent                // exit status 0 on spoilt files, with another answer
	panicked
	excess // too much memory
	slow   // no end in sight
)

func (s *score) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried += n
}

// skip says why the attack cannot be made.
func (s *score) skip(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skipped = why
}

// enough reports whether all tries have been made, or the attack cannot be.
func (s *score) enough() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tried >= s.asked || s.skipped != ""
}

// fail counts a failure and says what happened.
func (s *score) fail(t *testing.T, f failure, format string, args ...any) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	*[]*int{&s.lost, &s.silent, &s.panics, &s.excess, &s.slow}[f]++
	t.Errorf("%s: %s", [...]string{"lost", "silent", "panic", "memory", "time"}[f], fmt.Sprintf(format, args...))
}

// memory notes the peak of a try on a file of some size.
func (s *score) memory(peak, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if peak > s.peak {
		s.peak, s.peakOf = peak, size
	}
}

// row is the line of the table.
func (s *score) row() string {
	if s.skipped != "" {
		return fmt.Sprintf("| %s | not made: %s | | | | | |", s.attack, s.skipped)
	}
	peak := ""
	if s.peak > 0 {
		peak = fmt.Sprintf("%d MiB for %d kB", s.peak>>20, s.peakOf>>10)
	}
	tries := fmt.Sprint(s.tried)
	if s.tried < s.asked {
		tries = fmt.Sprintf("%d of %d", s.tried, s.asked)
	}
	return fmt.Sprintf("| %s | %s %s | %d | %d | %d | %d | %s |",
		s.attack, tries, s.unit, s.lost, s.silent, s.panics, s.excess+s.slow, peak)
}
