package keys

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Descriptions of a key that takes a duration: in words, and as the pattern in schemas.
const (
	wantDuration    = "a duration such as 30s, 5m, 1h30m or 30d, or 0s"
	durationPattern = `^([0-9]{1,5}d|([0-9]{1,6}(\.[0-9]{1,9})?(ns|us|µs|ms|s|m|h)){1,3})$`
)

func isDuration(t reflect.Type) bool { return t == reflect.TypeFor[time.Duration]() }

// duration fills a field with a time, which must not be negative. A number without a unit, except 0, is refused: it is
// ambiguous.
func (d *Decoder) duration(n *yaml.Node, v reflect.Value, path string) {
	x, err := parseDuration(n.Value)
	if err != nil || x < 0 {
		hint := ""
		if _, err := time.ParseDuration(n.Value + "s"); err == nil {
			hint = fmt.Sprintf("; write %ss for %s seconds", n.Value, n.Value)
		}
		d.fail(n, "%s is %q, want %s%s", path, n.Value, wantDuration, hint)
		return
	}
	v.SetInt(int64(x))
}

// parseDuration is time.ParseDuration that knows days alone: 30d.
func parseDuration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * day, err
	}
	return time.ParseDuration(text)
}

const day = 24 * time.Hour

// durationText formats a duration without units that are 0: 1m instead of 1m0s, and 30d.
func durationText(x time.Duration) string {
	if x > 0 && x%day == 0 {
		return fmt.Sprintf("%dd", x/day)
	}
	text := x.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
