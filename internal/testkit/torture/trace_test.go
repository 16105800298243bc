//go:build torture && linux && amd64

package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// writing are the system calls that change files, and in which argument a file descriptor stands; -1 for none.
var writing = map[uint64]int{
	syscall.SYS_WRITE: 0, syscall.SYS_PWRITE64: 0, syscall.SYS_WRITEV: 0, syscall.SYS_FTRUNCATE: 0,
	syscall.SYS_FSYNC: 0, syscall.SYS_FDATASYNC: 0,
	syscall.SYS_RENAME: -1, syscall.SYS_RENAMEAT: -1, 316: -1, // renameat2
	syscall.SYS_UNLINK: -1, syscall.SYS_UNLINKAT: -1, syscall.SYS_MKDIR: -1, syscall.SYS_MKDIRAT: -1,
	syscall.SYS_LINK: -1, syscall.SYS_LINKAT: -1, syscall.SYS_RMDIR: -1,
}

// moment is when a victim is about to change a file for the n-th time.
type moment struct {
	v     *victim
	n, of int
}

// TestKillBeforeWrites kills processes when they are about to change a file, at each of these moments once.
func TestKillBeforeWrites(t *testing.T) {
	all, s := ready(t), newScore("killed before a system call that writes", "kills")
	moments, err := momentsOf(t, all)
	if err != nil {
		s.skip("no process can be traced here: " + err.Error())
		t.Skip(s.skipped)
	}
	var next atomic.Int64
	attack(t, s, some(len(moments)), 0.2, func(_ *rand.Rand, dir string) {
		m := moments[int(next.Add(1)-1)%len(moments)]
		m.v.lay(t, dir)
		n, err := trace(dir, m.v.start, m.n)
		if err != nil {
			t.Error(err)
			return
		}
		if n < m.n { // it has made fewer checkpoints this time, and come to its end
			m.v.judge(t, s, dir, "traced")
			return
		}
		s.add(1)
		m.v.finish(t, s, dir, fmt.Sprintf("killed before write %d of %d", m.n, m.of))
	})
}

// momentsOf are the moments of all victims, in random order.
func momentsOf(t *testing.T, all []*victim) (moments []moment, err error) {
	for _, v := range all {
		dir := t.TempDir()
		v.lay(t, dir)
		of, err := trace(dir, v.start, 0)
		if err != nil {
			return nil, err
		}
		t.Logf("%s: %d system calls write", v.name, of)
		for n := range of {
			moments = append(moments, moment{v, n + 1, of})
		}
	}
	rng := rand.New(rand.NewPCG(*seed, 1<<63))
	rng.Shuffle(len(moments), func(i, j int) { moments[i], moments[j] = moments[j], moments[i] })
	return moments, nil
}

// trace runs the program, counts its system calls that change files below dir, and kills it before the last-th; 0 for
// never.
func trace(dir string, args []string, last int) (count int, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := command(dir, args...)
	c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := c.Start(); err != nil {
		return 0, err
	}
	pid := c.Process.Pid
	defer c.Process.Release()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return 0, err
	}
	const exitKill = 0x100000
	const options = syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACESYSGOOD | exitKill
	if err := syscall.PtraceSetOptions(pid, options); err != nil {
		return 0, err
	}
	inside := map[int]bool{} // threads that are in a system call
	for at := pid; ; {
		_ = syscall.PtraceSyscall(at, deliver(status)) // a thread that has just ended gets nothing
		if at, err = waitThread(pid, &status); err != nil {
			return count, err
		}
		if at == pid && (status.Exited() || status.Signaled()) {
			return count, nil
		}
		if !status.Stopped() || status.StopSignal() != syscall.SIGTRAP|0x80 {
			continue
		}
		if inside[at] = !inside[at]; inside[at] && changes(at, dir) {
			if count++; count == last {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// waitThread waits for a thread of the traced process; processes of others that wait for theirs are left alone.
func waitThread(pid int, status *syscall.WaitStatus) (int, error) {
	for {
		at, err := syscall.Wait4(-1, status, syscall.WALL|wnothread, nil)
		if err == syscall.EINTR {
			continue
		}
		return at, err
	}
}

// wnothread restricts waiting to what this thread traces.
const wnothread = 0x20000000

// deliver is the signal that a stopped thread goes on with: its own, and none for the stops of tracing.
func deliver(status syscall.WaitStatus) int {
	if !status.Stopped() {
		return 0
	}
	switch sig := status.StopSignal(); sig {
	case syscall.SIGTRAP, syscall.SIGTRAP | 0x80, syscall.SIGSTOP:
		return 0
	default:
		return int(sig)
	}
}

// changes reports whether the system call that a thread begins changes a file below dir.
func changes(thread int, dir string) bool {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(thread, &regs) != nil {
		return false
	}
	if regs.Orig_rax == syscall.SYS_OPENAT {
		return regs.Rdx&syscall.O_CREAT != 0
	}
	arg, ok := writing[regs.Orig_rax]
	if !ok || arg < 0 {
		return ok
	}
	target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", thread, regs.Rdi))
	return err == nil && strings.HasPrefix(target, dir)
}
