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

// lock is an activity that only one process at a time may do in a folder.
type lock struct {
	name  string // of the file that it holds
	doing string // how errors describe it
	what  string // what errors advise
}

var (
	writing = lock{".bloom-lock", "written", "wait for it, or choose another folder"}
	serving = lock{".bloom-serve", "served", "stop it, or ask it"}
)

// Held is the error for a folder that another process is writing or serving.
type Held struct {
	Dir     string    `json:"-"`
	lock    lock      // the activity of that process
	PID     int       `json:"pid"` // 0 if unknown
	Host    string    `json:"host"`
	Command string    `json:"command"`
	Started time.Time `json:"started"`
}

// Error says which process has the lock.
func (e *Held) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d on %s (%s, since %s)", e.PID, printable(e.Host), printable(e.Command),
			e.Started.Local().Format("2006-01-02 15:04:05"))
	}
	return fmt.Sprintf("%s is being %s by %s: %s", e.Dir, e.lock.doing, who, e.lock.what)
}

// printable returns s without terminal control characters.
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

// Lock gives this process exclusive write access to the folder dir, until release or until the process ends in any way.
// It creates the folder if necessary. The error is a *Held if another process has the lock. If the file system has no
// locks, the folder is not locked and say, which may be nil, is told.
func Lock(dir string, say func(string)) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return writing.acquire(dir, say)
}

// Serve is Lock for a folder that this process alone may serve, while others may write to it.
func Serve(dir string, say func(string)) (release func(), err error) {
	return serving.acquire(dir, say)
}

func (l lock) acquire(dir string, say func(string)) (release func(), err error) {
	path := filepath.Join(dir, l.name)
	for range 1000 {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		switch err := lockFile(f, false); {
		case errors.Is(err, errNoLocks):
			if say != nil {
				say(printable(dir) + " is on a file system without locks: make sure that nobody else writes there")
			}
			return writeHolder(f)
		case errors.Is(err, errLocked):
			_ = f.Close()
			return nil, l.holder(dir, path)
		case err != nil:
			_ = f.Close()
			return nil, err
		case isAt(f, path):
			return writeHolder(f)
		}
		_ = f.Close() // the previous holder has removed it in between
	}
	return nil, &Held{Dir: dir, lock: l}
}

// writeHolder writes the holder into the lock file.
func writeHolder(f *os.File) (release func(), err error) {
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
	if err != nil && !full(err) { // on a full disk the lock still holds, without a name
		release()
		return nil, err
	}
	return release, nil
}

// holder returns an error that says who has the lock, as far as the file says: it may have been taken just now.
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
