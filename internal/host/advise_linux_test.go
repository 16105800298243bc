package host

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// TestAdvised: the first, the middle and the last number of a buffer that is worth it lie in memory for which huge
// pages were asked (the flag hg of its mapping).
func TestAdvised(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
		t.Skip("the system has no huge pages: ", err)
	}
	x := make([]float32, HugePage/4+1000)
	AdviseHuge(x)
	for _, i := range []int{0, len(x) / 2, len(x) - 1} {
		if flags := flagsAt(t, uintptr(unsafe.Pointer(&x[i]))); !strings.Contains(flags+" ", " hg ") {
			t.Errorf("number %d: the flags of its mapping are %q, without hg", i, flags)
		}
	}
}

// flagsAt are the flags of the mapping of this process that has the address.
func flagsAt(t *testing.T, at uintptr) string {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = f.Close() }()
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			inside = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && inside {
			return flags
		}
	}
	t.Skip("the system does not tell flags of mappings")
	return ""
}
