package serve

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/bloomgml/bloom/config"
)

// Options say how runs are served. The zero value listens on 127.0.0.1:8080 without tokens.
type Options struct {
	Addr      string  // empty means 127.0.0.1:8080
	TokenFile string  // who may do what; required for any address other than this machine's
	Insecure  bool    // no tokens on any address
	Cert, Key string  // files for TLS
	Coverage  float64 // how probably sets and intervals hold what is true; 0 means 0.9
	Settle    bool    // serve the minimum of the energy instead of L steps
	Tolerance float64 // how far a state may be from it; 0 means 1e-4; see solve.State.Bound

	// Configs holds the configs of folders that were read already; a run that is reloaded reads its own.
	Configs map[string]*config.Config

	Conns   int           // connections at the same time, others are closed; 0 means 1,024
	Body    int64         // largest body of a request, in bytes; 0 means 8 MiB
	Bodies  int64         // bytes of bodies above 64 KiB that are in memory at a time, others wait; 0 means 32 MiB
	Batch   int           // maximum number of edits, or of nodes asked about, in a request; 0 means 10,000
	AtOnce  int           // requests that are answered at the same time, others wait; 0 means 64
	Rate    float64       // requests a second of one address; 0 means any number
	Timeout time.Duration // for reading a request, and for its answer; 0 means 30 s
}

// filled returns o with defaults instead of zero values.
func (o Options) filled() Options {
	o.Addr = cmp.Or(o.Addr, "127.0.0.1:8080")
	o.Coverage = cmp.Or(o.Coverage, 0.9)
	o.Tolerance = cmp.Or(o.Tolerance, 1e-4)
	o.Conns = cmp.Or(o.Conns, 1024)
	o.Body = cmp.Or(o.Body, 8<<20)
	o.Bodies = cmp.Or(o.Bodies, 32<<20)
	o.Batch = cmp.Or(o.Batch, 10000)
	o.AtOnce = cmp.Or(o.AtOnce, 64)
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	return o
}

// Check refuses an address that others can reach without tokens, and other mistakes.
func (o Options) Check() error {
	toleranceGiven := o.Tolerance != 0
	o = o.filled()
	host, _, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return fmt.Errorf("--addr %q: want host:port", o.Addr)
	}
	switch {
	case !isLoopback(host) && o.TokenFile == "" && !o.Insecure:
		return fmt.Errorf("--addr %s can be reached from other machines: say who may use it with --token-file, or say "+
			"--insecure", o.Addr)
	case (o.Cert == "") != (o.Key == ""):
		return fmt.Errorf("TLS needs both --cert and --key")
	case o.Conns < 1:
		return fmt.Errorf("--connections %d, want 1 or more", o.Conns)
	case o.Body < 1 || o.Bodies < o.Body:
		return fmt.Errorf("--body-memory is %d bytes, want %d or more, the largest request", o.Bodies, o.Body)
	case !(o.Rate >= 0):
		return fmt.Errorf("rate %g, want 0 or more", o.Rate)
	case !(o.Tolerance > 0) || math.IsInf(o.Tolerance, 0):
		return fmt.Errorf("--tolerance %g, want a number above 0", o.Tolerance)
	case toleranceGiven && !o.Settle:
		return fmt.Errorf("--tolerance is the distance from the minimum that --settle allows; without --settle " +
			"answers are exact")
	case !(o.Coverage > 0 && o.Coverage < 1):
		return fmt.Errorf("coverage %g, want a number above 0 and below 1", o.Coverage)
	}
	return nil
}

// isLoopback reports whether a host, without its port, is this machine to itself.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

// role says what a request may do.
type role int

const (
	nobody role = iota
	reader
	writer
)

// tokens are the hashes of tokens with their roles.
type tokens []token

type token struct {
	hash [sha256.Size]byte
	role role
}

// readTokens reads a file with a line for every token: read or write, a space, the token. Empty lines and lines that
// begin with # are left out.
func readTokens(path string) (tokens, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list tokens
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		may, ok := map[string]role{"read": reader, "write": writer}[fields[0]]
		if !ok || len(fields) != 2 || len(fields[1]) < 16 {
			return nil, fmt.Errorf("%s:%d: want read or write, and a token of 16 characters or more", path, n)
		}
		list = append(list, token{sha256.Sum256([]byte(fields[1])), may})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no tokens", path)
	}
	return list, nil
}

// roleOf returns the role of the bearer of a token. It takes the same time whichever is right.
func (t tokens) roleOf(header string) role {
	given, ok := strings.CutPrefix(header, "Bearer ")
	if !ok {
		return nobody
	}
	hash, found := sha256.Sum256([]byte(given)), nobody
	for _, x := range t {
		if subtle.ConstantTimeCompare(hash[:], x.hash[:]) == 1 {
			found = max(found, x.role)
		}
	}
	return found
}
