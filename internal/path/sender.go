package path

import "github.com/bloomgml/bloom/internal/host"

// sender hands lists of edges to the device while the host makes the next ones, between start and wait; at other times
// lists are handed over at once. It allocates nothing after newSender.
type sender struct {
	on    bool
	lists chan layerEdges // nil rows say that there are no more
	ended chan error
	work  func()
}

// layerEdges are the edges of a layer.
type layerEdges struct {
	*rows
	to, from, by []int32
}

// newSender has room for that many lists.
func newSender(most int) *sender {
	s := &sender{lists: make(chan layerEdges, most), ended: make(chan error, 1)}
	s.work = func() { s.ended <- host.Catch(s.send) }
	return s
}

// start takes lists from now on.
func (s *sender) start() {
	s.on = true
	go s.work()
}

// send hands lists over until there are no more.
func (s *sender) send() error {
	var first error
	for l := range s.lists {
		if l.rows == nil {
			break
		}
		if err := l.send(l.to, l.from, l.by); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// wait returns when all lists are with the device.
func (s *sender) wait() {
	s.on = false
	s.lists <- layerEdges{}
	must(host.Rethrow(<-s.ended))
}
