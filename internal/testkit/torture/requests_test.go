//go:build torture && linux

package torture

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// serverMemory is how much a server may take, whatever is sent to it.
const serverMemory = 512 << 20

// TestServerRequests sends requests that are spoilt or made to harm: each is answered or ends, none by a failure of the
// server, whose memory stays small and whose graph is what the edits made that were acknowledged.
func TestServerRequests(t *testing.T) {
	from, s := trainedRun(t), newScore("hostile requests to a server", "requests")
	at, o := serve(from)
	if at == nil {
		t.Fatal(o.err)
	}
	defer at.kill()
	attack(t, s, some(40000), 0.1, func(rng *rand.Rand, _ string) {
		for range 100 {
			text := harmful(rng)
			status, err := at.send(text)
			s.add(1)
			switch {
			case os.IsTimeout(err):
				s.fail(t, slow, "%.300q: %v", text, err)
			case status == 500:
				s.fail(t, panicked, "%.300q: status %d", text, status)
			}
		}
	})
	peak := resident(at.cmd.Process.Pid)
	s.memory(peak, 8<<20)
	if peak > serverMemory {
		s.fail(t, excess, "%d MiB", peak>>20)
	}
	if _, err := at.get("/v2/health/ready"); err != nil || strings.Contains(at.said.String(), "goroutine ") {
		s.fail(t, panicked, "%v: %s", err, at.said)
	}
	before, err := at.get("/v1/snapshot")
	at.kill()
	again, o := serve(from)
	if again == nil {
		s.fail(t, lost, "it does not start again: %s", o.first())
		return
	}
	defer again.kill()
	if after, err2 := again.get("/v1/snapshot"); err != nil || err2 != nil || !bytes.Equal(before, after) {
		s.fail(t, lost, "the graph is another after a restart: %v, %v", err, err2)
	}
}

// send sends bytes on a connection of their own, and is the status of the first answer; 0 for none.
func (s *server) send(text []byte) (status int, err error) {
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return 0, err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	_, _ = c.Write(text) // it may be refused before its end
	_ = c.(*net.TCPConn).CloseWrite()
	status, err = readAnswer(bufio.NewReader(c))
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return status, err
}

// asked are requests that are answered.
var asked = []struct{ line, body string }{
	{"POST /v1/graph", `{"edits":[{"add_edge":["n1","n2"],"weight":2.5},{"remove_edge":["n1","n2"]}],"nodes":["n1"]}`},
	{"POST /v1/graph", `{"edits":[{"add_node":{"id":"x","features":[1,0,0.5,1]}},{"add_edge":["x","n3"]}]}`},
	{"POST /v1/graph", `{"edits":[{"set_features":{"id":"n7","features":[0,0,1,3]}},{"remove_node":"x"}]}`},
	{"POST /v1/graph", `{"edits":[{"set_label":{"id":"n2","class":"c1"}},{"confirm":{"row":"n2"}}]}`},
	{"POST /v1/what-if", `{"edits":[{"set_features":{"id":"n7","features":[1,2,3,4]}}],"nodes":["n7","n8"]}`},
	{"POST /v1/explain", `{"node":"n1","edits":[{"add_edge":["n1","n9"],"weight":7}]}`},
	{"POST /v1/undo", `{}`}, {"POST /v1/reload", `{}`}, {"POST /v1/audit", `{"now":true}`},
	{"POST /v2/models/run/infer", `{"inputs":[{"name":"id","shape":[2],"datatype":"BYTES","data":["n1","n2"]}]}`},
	{"POST /v2/models/run/infer", `{"inputs":[{"name":"features","shape":[1,4],"datatype":"FP64","data":[1,2,3,4]},` +
		`{"name":"edge_row","shape":[1],"datatype":"INT64","data":[0]},` +
		`{"name":"edge_to","shape":[1],"datatype":"BYTES","data":["n5"]}]}`},
	{"GET /v1/nodes/n1", ""}, {"GET /v1/search?q=n1", ""}, {"GET /v1/explain?node=n1", ""}, {"GET /v1/health", ""},
	{"GET /v1/features?node=n1", ""}, {"GET /metrics", ""}, {"GET /v1/openapi.json", ""}, {"GET /", ""},
}

// harmful is a request that is spoilt, or made to harm.
func harmful(rng *rand.Rand) []byte {
	q := asked[rng.IntN(len(asked))]
	body, length := []byte(q.body), ""
	switch rng.IntN(12) {
	case 0:
		body = bytes.Repeat([]byte("["), 1<<rng.IntN(20))
	case 1: // many values in few bytes
		part := []string{`{"edits":[{}`, `{"nodes":[""`, `{"edits":[{"add_node":{"id":"y","features":[1`}[rng.IntN(3)]
		again := "," + part[strings.LastIndex(part, "[")+1:]
		body = append([]byte(part), bytes.Repeat([]byte(again), 1<<rng.IntN(17))...)
	case 2:
		length = numbers[rng.IntN(len(numbers))]
	case 3:
		q.line = []string{"PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "\x00"}[rng.IntN(7)] +
			q.line[strings.Index(q.line, " "):]
	case 4:
		q.line += strings.Repeat("%00/..", 1<<rng.IntN(14))
	case 5:
		body = bytes.Repeat([]byte(" "), 1<<20<<rng.IntN(5))
	default:
		body = renumber(rng, body)
	}
	if length == "" {
		length = fmt.Sprint(len(body))
	}
	head := fmt.Sprintf("%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Content-Length: %s\r\n\r\n", q.line, length)
	if rng.IntN(3) == 0 && len(body) < 1<<12 {
		spoilt, _ := mutate(rng, append([]byte(head), body...), map[string]string{"body": q.body})
		return spoilt
	}
	if rng.IntN(3) == 0 && len(body) < 1<<12 {
		body, _ = mutate(rng, body, map[string]string{"body": q.body})
		head = strings.Replace(head, "Content-Length: "+length, fmt.Sprint("Content-Length: ", len(body)), 1)
	}
	return append([]byte(head), body...)
}
