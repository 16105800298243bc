package show

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestWriter(t *testing.T) {
	for text, want := range map[string]string{
		"‖h − π(x)‖\t0.5\n":             "‖h − π(x)‖\t0.5\n",
		"\x1b[2Jgone\a\b\r":             `\u001b[2Jgone\u0007\u0008\u000d`,
		"a\u009b31mb":                   `a\u009b31mb`,
		"user\u202etxt.exe\u2066":       `user\u202etxt.exe\u2066`,
		"zero\u200bwidth\ufeff":         `zero\u200bwidth\ufeff`,
		"tag\U000e0041":                 `tag\udb40\udc41`,
		"no text \xff\x9b":              `no text \xff\x9b`,
		Paint(true).Good("\x1b[31mred"): "\x1b[32m\\u001b[31mred\x1b[0m",
		mark[:9] + "32mgreen":           `\xff` + mark[1:9] + "32mgreen",
	} {
		var out bytes.Buffer
		w := NewWriter(&out)
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil || w.Close() != nil || out.String() != want {
			t.Errorf("%q is shown as %q, want %q; %d bytes, %v", text, out.String(), want, n, err)
		}
	}
}

// TestWriterPieces: letters that are cut between two calls are whole again, and what never becomes a letter is shown.
func TestWriterPieces(t *testing.T) {
	const text = "ä€😀\x1b"
	for cut := range len(text) {
		var out bytes.Buffer
		w := NewWriter(&out)
		w.Write([]byte(text[:cut]))
		w.Write([]byte(text[cut:] + "\xe2\x82"))
		if w.Close(); out.String() != `ä€😀\u001b\xe2\x82` {
			t.Errorf("cut at %d: %q", cut, out.String())
		}
	}
}

// TestWriterJSON: escapes mean the same letters in JSON.
func TestWriterJSON(t *testing.T) {
	const id = "\x1b]0;\u007f\u009b\u202e\u2028\U000e0041\\"
	var out bytes.Buffer
	if err := json.NewEncoder(NewWriter(&out)).Encode(id); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != id {
		t.Errorf("%q became %s, %q, %v", id, out.String(), got, err)
	}
}

func TestShow(t *testing.T) {
	if got := Safe("a\nbloom: all is well\tindeed"); got != `a\u000abloom: all is well\u0009indeed` {
		t.Errorf("%q", got)
	}
}

func TestData(t *testing.T) {
	var out bytes.Buffer
	Data(NewWriter(&out)).Write([]byte("\x1b"))
	if out.String() != "\x1b" {
		t.Errorf("data for a program became %q", out.String())
	}
}
