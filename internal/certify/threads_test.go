package certify

import (
	"testing"

	"github.com/bloomgml/bloom/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.OneThread()
	m.Run()
}
