package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/internal/workload"
)

// flaky is a check whose numbers are right the first time only.
func flaky() workload.Check {
	calls := workload.Number(0)
	return workload.Check{Name: "flaky", Run: func() []workload.Number {
		calls++
		return []workload.Number{0, calls - 1}
	}}
}

func TestDoctorText(t *testing.T) {
	stdout, stderr, code := bloom(t, "doctor")
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
	stdout, _, code := bloom(t, "doctor", "--json", "--threads", "1")
	var got workload.Diagnosis
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
	known := workload.Check{Name: "known", Sum: 7, Run: func() []workload.Number { return []workload.Number{3, 3} }}
	for _, bad := range []workload.Check{known, flaky()} {
		stdout, stderr, code := examined(t, []workload.Check{bad}, "doctor")
		failed := strings.Contains(stdout, "FAILED "+bad.Name+": ")
		if bad.Name == "flaky" && strings.Count(stdout, "self test ") == 1 {
			continue // only the portable level exists: nothing to compare with
		}
		if code != exitFailed || !failed || !strings.HasPrefix(stderr, "bloom: self test failed") {
			t.Errorf("%s: exit %d, stdout\n%sstderr %q", bad.Name, code, stdout, stderr)
		}
	}
	stdout, _, code := examined(t, []workload.Check{known}, "doctor", "--json")
	if code != exitFailed || !strings.Contains(stdout, `"ok":false`) {
		t.Errorf("exit %d, %s", code, stdout)
	}
}

func TestDoctorStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stopper := workload.Check{Name: "stop", Run: func() []workload.Number { cancel(); return nil }}
	d := newDoctor(workload.DoctorOptions{Time: time.Hour, Checks: []workload.Check{stopper}})
	var out, err bytes.Buffer
	if code := execute(ctx, newRoot(d), []string{"doctor"}, &out, &err); code != exitStopped || out.Len() > 0 {
		t.Errorf("exit %d, stdout %q, stderr %q", code, out.String(), err.String())
	}
}
