package show

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTerminal: on a terminal, data for programs is shown too, and colours are the codes of colours.
func TestTerminal(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	screen, tty := pair(t)
	if !IsTerminal(tty) || !IsTerminal(NewWriter(tty)) {
		t.Error("a terminal is none")
	}
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 60}); err != nil {
		t.Fatal(err)
	}
	w := NewWriter(tty)
	if ScreenWidth(w) != 60 {
		t.Errorf("%d columns, want 60", ScreenWidth(w))
	}
	fmt.Fprintln(Data(w), "\x1b[2J"+Painter(w).Good("ok"))
	text := make([]byte, 100)
	n, err := screen.Read(text)
	if want := "\\u001b[2J\x1b[32mok\x1b[0m\r\n"; err != nil || string(text[:n]) != want {
		t.Errorf("the screen gets %q, want %q; %v", text[:n], want, err)
	}
}

// pair is a terminal, and what it shows.
func pair(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there are no terminals here: ", err)
	}
	t.Cleanup(func() { screen.Close() })
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR, 0)
	}
	if err != nil {
		t.Skip("there are no terminals here: ", err)
	}
	t.Cleanup(func() { tty.Close() })
	return screen, tty
}
