package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// flaky is a check whose numbers are right the first time only.
func flaky() check {
	calls := number(0)
	return check{"flaky", 0, func() []number { calls++; return []number{0, calls - 1} }}
}

func TestDoctorText(t *testing.T) {
	stdout, stderr, code := bloom(t, checks, "doctor")
	if code != exitDone || stderr != "" {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	for _, label := range []string{"bloom ", "cpu ", "features ", "kernels ", "threads ", "memory ", "huge pages ",
		"fma peak ", "read ", "self test "} {
		if !strings.Contains("\n"+stdout, "\n"+label) {
			t.Errorf("no line %q in\n%s", label, stdout)
		}
	}
	if strings.Contains(stdout, "\x1b") {
		t.Error("colour without a terminal")
	}
}

func TestDoctorJSON(t *testing.T) {
	stdout, _, code := bloom(t, checks, "doctor", "--json", "--threads", "1")
	var got diagnosis
	decoder := json.NewDecoder(strings.NewReader(stdout))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if code != exitDone || !got.OK || got.Threads != 1 || got.Cores < 1 || got.Read.One <= 0 || len(got.SelfTest) == 0 {
		t.Errorf("exit %d, %+v", code, got)
	}
	if strings.Count(stdout, "\n") != 1 {
		t.Errorf("want one line, got %q", stdout)
	}
}

// TestDoctorFails is the reason for the self test: wrong numbers end with exit code 1, named.
func TestDoctorFails(t *testing.T) {
	known := check{"known", 7, func() []number { return []number{3, 3} }}
	for _, bad := range []check{known, flaky()} {
		stdout, stderr, code := bloom(t, []check{bad}, "doctor")
		failed := strings.Contains(stdout, "FAILED "+bad.name+": ")
		if bad.name == "flaky" && len(selfTest(nil)) == 1 {
			continue // only the portable level exists: nothing to compare with
		}
		if code != exitFailed || !failed || !strings.HasPrefix(stderr, "bloom: self test failed") {
			t.Errorf("%s: exit %d, stdout\n%sstderr %q", bad.name, code, stdout, stderr)
		}
	}
	stdout, _, code := bloom(t, []check{known}, "doctor", "--json")
	if code != exitFailed || !strings.Contains(stdout, `"ok":false`) {
		t.Errorf("exit %d, %s", code, stdout)
	}
}

func TestDoctorStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stopper := check{"stop", 0, func() []number { cancel(); return nil }}
	d := &doctor{measure: time.Hour, checks: []check{stopper}}
	var out, err bytes.Buffer
	if code := execute(ctx, newRoot(d.command()), []string{"doctor"}, &out, &err); code != exitStopped ||
		out.Len() > 0 {
		t.Errorf("exit %d, stdout %q, stderr %q", code, out.String(), err.String())
	}
}

func TestPaint(t *testing.T) {
	if paint(false).good("x") != "x" || paint(true).bad("x") != "\x1b[1;31mx\x1b[0m" {
		t.Error("paint does not follow its switch")
	}
	if painter(&bytes.Buffer{}) {
		t.Error("a buffer is not a terminal")
	}
}
