package show

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		250 * time.Microsecond: "0.25ms", 0: "0ms",
		340 * time.Millisecond: "340ms", 7200 * time.Millisecond: "7.2s", 185 * time.Second: "3m05s",
		130 * time.Minute: "2h10m",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
