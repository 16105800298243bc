package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lock is something that one process at a time does with a folder.
type lock struct {
	name  string // of the file that it holds
	doing string // what is said of it
	what  string // what others are told to do
}

var (
	writing = lock{".bloom-lock", "written", "wait for it, or choose another folder"}
	serving = lock{".bloom-serve", "served", "stop it, or ask it"}
)

// Held is the error for a folder that another process writes or serves.
type Held struct {
	Dir     string    `json:"-"`
	lock    lock      // what it does there
	PID     int       `json:"pid"` // 0 where it is not known
	Host    string    `json:"host"`
	Command string    `json:"command"`
	Started time.Time `json:"started"`
}

// Error says who writes there.
func (e *Held) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d on %s (%s, since %s)", e.PID, printable(e.Host), printable(e.Command),
			e.Started.Local().Format("2006-01-02 15:04:05"))
	}
	return fmt.Sprintf("%s is being %s by %s: %s", e.Dir, e.lock.doing, who, e.lock.what)
}

// printable is s without what a terminal would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}

// errNoLocks is the error of a file system that has no locks.
var errNoLocks = errors.New("no locks")

// Lock makes the folder dir this process's alone to write in, until release or its end, however it ends. It makes the
// folder where there is none. The error is a *Held where another process has it. Where the file system has no locks the
// folder is not locked, which say is told; nil for nobody.
func Lock(dir string, say func(string)) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return writing.take(dir, say)
}

// Serve is Lock for a folder that others may write meanwhile, and that this process alone is to serve.
func Serve(dir string, say func(string)) (release func(), err error) { return serving.take(dir, say) }

func (l lock) take(dir string, say func(string)) (release func(), err error) {
	path := filepath.Join(dir, l.name)
	for range 1000 {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		switch err := lockFile(f, false); {
		case errors.Is(err, errNoLocks):
			if say != nil {
				say(printable(dir) + " is on a file system without locks: see to it that nobody else writes there")
			}
			return take(f)
		case errors.Is(err, errLocked):
			_ = f.Close()
			return nil, l.holder(dir, path)
		case err != nil:
			_ = f.Close()
			return nil, err
		case isAt(f, path):
			return take(f)
		}
		_ = f.Close() // the one who held it has removed it in between
	}
	return nil, &Held{Dir: dir, lock: l}
}

// take writes into the lock who has it.
func take(f *os.File) (release func(), err error) {
	host, _ := os.Hostname()
	command := strings.Join(os.Args, " ")
	text, err := json.Marshal(Held{PID: os.Getpid(), Host: host, Command: command[:min(len(command), 400)],
		Started: time.Now()})
	release = func() {
		if renamesOpen {
			_ = os.Remove(f.Name())
			_ = f.Close()
			return
		}
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(text, 0)
	}
	if err != nil && !full(err) { // on a full disk the lock holds as well, without a name
		release()
		return nil, err
	}
	return release, nil
}

// holder is who has the lock, as far as the file says: it may have been taken this moment.
func (l lock) holder(dir, path string) error {
	held := &Held{}
	for range 20 {
		if b, err := os.ReadFile(path); err == nil && json.Unmarshal(b, held) == nil || errors.Is(err, fs.ErrNotExist) {
			break
		}
		*held = Held{}
		time.Sleep(10 * time.Millisecond)
	}
	held.Dir, held.lock = dir, l
	return held
}
