//go:build torture && linux

package torture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// server is a bloom serve of the folder run that listens.
type server struct {
	url   string
	cmd   *exec.Cmd
	said  *notes
	ended chan struct{}
}

// notes is a writer that can be read while others write.
type notes struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.String()
}

var listens = regexp.MustCompile(`run is at (http://[^/]+)/`)

// serve starts a server of the run in dir; where it ends before it listens, it is nil and the outcome says how.
func serve(dir string) (*server, outcome) {
	c := command(dir, "serve", "run", "--addr", "127.0.0.1"+":0", "--quiet")
	s := &server{cmd: c, said: &notes{}, ended: make(chan struct{})}
	c.Stderr = s.said
	if err := c.Start(); err != nil {
		return nil, outcome{code: -1, err: err.Error()}
	}
	go func() { _ = c.Wait(); close(s.ended) }()
	for late := time.After(patience); ; {
		if found := listens.FindStringSubmatch(s.said.String()); found != nil {
			s.url = found[1]
			return s, outcome{}
		}
		select {
		case <-s.ended:
			return nil, outcome{code: c.ProcessState.ExitCode(), err: s.said.String()}
		case <-late:
			s.kill()
			return nil, outcome{slow: true, err: s.said.String()}
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// client asks servers.
var client = http.Client{Timeout: patience}

// get is the answer to a question.
func (s *server) get(path string) ([]byte, error) {
	resp, err := client.Get(s.url + path)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", path, resp.StatusCode, text)
	}
	return text, err
}

// size is how large the graph is that is served.
type size struct{ Nodes, Edges, Version int }

func (s *server) size() (z size, err error) {
	text, err := s.get("/v1/graph")
	if err == nil {
		err = json.Unmarshal(text, &z)
	}
	return z, err
}

// write makes versions from a number on, each a node and its edge, up to a limit or until the server is gone; it
// counts those that were acknowledged.
func (s *server) write(from, to int) (acknowledged int) {
	for v := from; v < to; v++ {
		edits := fmt.Sprintf(`{"edits":[{"add_node":{"id":"k%d","features":[%[1]d,0.5,0,1]}},`+
			`{"add_edge":["k%[1]d","n%[2]d"]},{"set_features":{"id":"n%[2]d","features":[%[1]d,1,1,1]}}]}`, v, v%60)
		resp, err := client.Post(s.url+"/v1/graph", "application/json", strings.NewReader(edits))
		if err != nil {
			return acknowledged
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			return acknowledged
		}
		acknowledged++
	}
	return acknowledged
}

// trainedRun is a folder with the node run that is served, as run.
func trainedRun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, dir, ready(t)[0].start...)
	return dir
}

// made wants the graph to be what the acknowledged versions make of it, or one more that nobody was told of.
func (s *server) made(before size, acknowledged int) (version int, err error) {
	now, err := s.size()
	if err != nil {
		return 0, err
	}
	n := now.Version
	if n < acknowledged || n > acknowledged+1 || now.Nodes != before.Nodes+n || now.Edges != before.Edges+n {
		return 0, fmt.Errorf("%d versions were acknowledged, and of %+v there is %+v", acknowledged, before, now)
	}
	if n == 0 {
		return 0, nil
	}
	text, err := s.get(fmt.Sprintf("/v1/features?node=k%d", n-1))
	if want := fmt.Sprintf(`"features":[%d,0.5,0,1]`, n-1); err == nil && !bytes.Contains(text, []byte(want)) {
		err = fmt.Errorf("version %d: %s, want %s", n, text, want)
	}
	return n, err
}

// readAnswer is the status of an answer, and whether the connection can be used again.
func readAnswer(r *bufio.Reader) (status int, err error) {
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// journalOf are the files of a journal in the folder of a run.
func journalOf(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "run", "edits.journal*"))
	var list []string
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.Size() > 0 && !strings.HasSuffix(f, "-before") {
			list = append(list, f)
		}
	}
	return list
}
