package train

import "time"

// share is how many times longer than writing a checkpoint the time between two is, at least: it costs below 1 %.
const share = 100

// pace says when a checkpoint is due.
type pace struct {
	every time.Duration // 0 for never
	now   func() time.Time
	last  time.Time     // when the last one was complete, or training began
	cost  time.Duration // what it took
}

// due reports whether it is time.
func (p *pace) due() bool {
	return p.every > 0 && p.now().Sub(p.last) >= max(p.every, share*p.cost)
}

// measure calls save and keeps how long it took.
func (p *pace) measure(save func() error) error {
	start := p.now()
	err := save()
	p.last = p.now()
	p.cost = p.last.Sub(start)
	return err
}
