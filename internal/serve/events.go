package serve

import (
	"net/http"

	"github.com/bloomgml/bloom/task"
)

// happened holds events, in the order of time.
type happened struct {
	Events []occasion `json:"events"`
}

// occasion is an event.
type occasion struct {
	Source string  `json:"source"`
	Target string  `json:"target"`
	Time   float64 `json:"time"` // in the unit of the data; of dates, seconds since 1970
}

// learnt says how many events were learnt.
type learnt struct {
	Learnt int `json:"learnt"`
}

// learn handles POST /v1/events: answers that come after it are as of the last event. Events are not written down:
// after a restart the run knows the events of its data alone.
func (s *Server) learn(r *http.Request) (any, error) {
	run, err := s.run(r)
	if err != nil {
		return nil, err
	}
	p, ok := run.(*plain)
	if ok {
		_, ok = p.run.(task.Learning)
	}
	if !ok {
		return nil, &Conflict{run.name() + " does not learn from events: only runs about links in time do"}
	}
	var in happened
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	if err := s.few("events", len(in.Events)); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, e := range in.Events {
		if err := p.run.(task.Learning).Learn(e.Source, e.Target, e.Time); err != nil {
			return nil, bad("event %d: %v; the %d before it are learnt", i, err, i)
		}
	}
	return learnt{len(in.Events)}, nil
}
