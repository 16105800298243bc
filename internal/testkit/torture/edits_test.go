//go:build torture && linux

package torture

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServerKills kills a server under edits, again and again in one folder, until its journal has been made short: no
// version that was acknowledged is lost, and none is half made.
func TestServerKills(t *testing.T) {
	from, s := trainedRun(t), newScore("a server killed under edits", "kills")
	attack(t, s, some(600), 0.1, func(rng *rand.Rand, dir string) {
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Error(err)
			return
		}
		var before size
		acknowledged := 0
		for kills := 0; ; kills++ {
			at, o := serve(dir)
			what := fmt.Sprintf("after %d kills and %d versions", kills, acknowledged)
			if at == nil {
				s.fail(t, lost, "%s: it does not start: %s", what, o.first())
				return
			}
			var err error
			if kills == 0 {
				before, err = at.size()
			}
			version := 0
			if err == nil {
				version, err = at.made(before, acknowledged)
			}
			if err != nil || kills == 12 {
				at.kill()
				if err != nil {
					s.fail(t, lost, "%s: %v", what, err)
				}
				return
			}
			time.AfterFunc(time.Duration(1+rng.IntN(600))*time.Millisecond, func() { _ = at.cmd.Process.Kill() })
			acknowledged = version + at.write(version, 1<<30)
			<-at.ended
			s.add(1)
		}
	})
}

// TestServerFlips flips a bit of the journal that a killed server left, or cuts it off: the server begins with the same
// graph, or it does not start and names a version.
func TestServerFlips(t *testing.T) {
	from, s := trainedRun(t), newScore("a bit flipped in the journal of edits", "flips")
	at, o := serve(from)
	if at == nil {
		t.Fatal(o.err)
	}
	if n := at.write(0, 2050); n != 2050 {
		t.Fatalf("%d versions were made: %s", n, at.said)
	}
	want, err := at.get("/v1/snapshot")
	at.kill()
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	attack(t, s, some(500), 0.1, func(rng *rand.Rand, dir string) {
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Error(err)
			return
		}
		files := journalOf(dir)
		file := files[rng.IntN(len(files))]
		bit, err := flip(rng, file)
		if rng.IntN(4) == 0 {
			err = os.Truncate(file, bit/8)
		}
		if err != nil {
			t.Error(err)
			return
		}
		what := fmt.Sprintf("bit %d of %s", bit, filepath.Base(file))
		at, o := serve(dir)
		s.add(1)
		if at == nil {
			if s.check(t, o, what) && !strings.Contains(o.err, "version") {
				s.fail(t, silent, "%s: no version in %s", what, o.first())
			}
			s.mu.Lock()
			refused++
			s.mu.Unlock()
			return
		}
		defer at.kill()
		if got, err := at.get("/v1/snapshot"); err != nil || !bytes.Equal(got, want) {
			s.fail(t, silent, "%s: it begins with another graph, %v", what, err)
		}
	})
	t.Logf("%d of %d were refused", refused, s.tried)
}
