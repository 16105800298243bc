package serve

import (
	"net"
	"sync"
	"time"
)

// limiter lets every address make a number of requests a second, and a burst of twice that number after a pause.
type limiter struct {
	rate float64 // 0 is without end
	mu   sync.Mutex
	by   map[string]*allowance
}

// allowance is the number of requests that an address has left, and since when.
type allowance struct {
	left float64
	at   time.Time
}

// mostAddresses is the number of addresses that are remembered; beyond it, addresses with a full allowance are
// forgotten.
const mostAddresses = 10000

// allow takes a request from what the sender has left.
func (l *limiter) allow(sender string, now time.Time) bool {
	if l.rate == 0 {
		return true
	}
	host, _, err := net.SplitHostPort(sender)
	if err != nil {
		host = sender
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.by == nil || len(l.by) > mostAddresses {
		l.forget(now)
	}
	a := l.by[host]
	if a == nil {
		a = &allowance{max(1, 2*l.rate), now}
		l.by[host] = a
	}
	a.left = min(max(1, 2*l.rate), a.left+now.Sub(a.at).Seconds()*l.rate)
	a.at = now
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}

// forget drops all addresses but those that asked lately.
func (l *limiter) forget(now time.Time) {
	kept := map[string]*allowance{}
	for host, a := range l.by {
		if a.left+now.Sub(a.at).Seconds()*l.rate < 2*l.rate {
			kept[host] = a
		}
	}
	l.by = kept
}
