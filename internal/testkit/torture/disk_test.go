//go:build torture && linux

package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// TestFullDisk lets victims work on a disk that becomes full, says what happened, and is given room.
func TestFullDisk(t *testing.T) {
	all, s := ready(t), newScore("the disk becomes full", "disks")
	attack(t, s, some(60), 0.05, func(rng *rand.Rand, dir string) {
		v := all[rng.IntN(len(all))]
		disk := filepath.Join(dir, "disk")
		if err := os.Mkdir(disk, 0o755); err != nil {
			t.Error(err)
			return
		}
		if err := syscall.Mount("none", disk, "tmpfs", 0, "size=64m"); err != nil {
			s.skip("no disk can be mounted here: " + err.Error())
			return
		}
		defer syscall.Unmount(disk, syscall.MNT_DETACH)
		v.lay(t, disk)
		filler := filepath.Join(disk, "filler")
		free := rng.Int64N(2 << 20)
		fill(filler, free)
		o := run(disk, 0, v.start...)
		s.add(1)
		how := fmt.Sprintf("%d kB left on the disk", free>>10)
		how += fmt.Sprintf(", exit status %d", o.code)
		if !s.check(t, o, v.name+", "+how) {
			return
		}
		_ = os.Remove(filler)
		if o.code == 0 {
			v.judge(t, s, disk, how)
		} else {
			v.finish(t, s, disk, how)
		}
	})
	if s.skipped != "" {
		t.Skip(s.skipped)
	}
}

// fill writes a file until only free bytes are left on its disk.
func fill(name string, free int64) {
	var st syscall.Statfs_t
	if syscall.Statfs(filepath.Dir(name), &st) != nil {
		return
	}
	f, err := os.Create(name)
	if err != nil {
		return
	}
	defer f.Close()
	block := make([]byte, 4096)
	for n := int64(st.Bavail)*st.Bsize - free; n > 0; n -= int64(len(block)) {
		if _, err := f.Write(block); err != nil {
			return
		}
	}
}

// TestTwoWriters starts a victim many times at once in one folder: one does its work, the others say who does.
func TestTwoWriters(t *testing.T) {
	all, s := ready(t)[:3], newScore("many writers at once", "starts")
	attack(t, s, some(400), 0.05, func(rng *rand.Rand, dir string) {
		v := all[rng.IntN(len(all))]
		v.lay(t, dir)
		outcomes := make([]outcome, 8)
		var started sync.WaitGroup
		for i := range outcomes {
			started.Go(func() { outcomes[i] = run(dir, 0, v.start...) })
		}
		started.Wait()
		done := 0
		for _, o := range outcomes {
			s.add(1)
			if s.check(t, o, v.name) && o.code == 0 {
				done++
			}
		}
		if done == 0 {
			s.fail(t, lost, "%s: none of %d starts succeeded: %s", v.name, len(outcomes), outcomes[0].first())
			return
		}
		v.judge(t, s, dir, fmt.Sprintf("%d starts at once", len(outcomes)))
	})
}

// TestThreads trains with 1 to 13 threads: the same bits.
func TestThreads(t *testing.T) {
	all, s := ready(t)[:2], newScore("1 to 13 threads", "runs")
	for threads := 1; threads <= 13; threads++ {
		for _, v := range all {
			dir := t.TempDir()
			v.lay(t, dir)
			o := run(dir, 0, append([]string{"--threads", fmt.Sprint(threads)}, v.start...)...)
			s.add(1)
			if s.check(t, o, v.name) {
				v.judge(t, s, dir, fmt.Sprint(threads, " threads"))
			}
		}
	}
}
