package node

import (
	"testing"

	"github.com/bloomgml/bloom/config"
)

// TestAuditOfManyWrongRows: where a fifth of Cora's rows are noise, the audit finds at least as many of them as the
// residual of the robust energy alone, and knows about how many there are.
func TestAuditOfManyWrongRows(t *testing.T) {
	if testing.Short() {
		t.Skip("it audits Cora")
	}
	d := planetoid(t, "cora")
	c, err := config.Load(config.Options{Recipe: "robust", Data: "cora",
		Set: []string{"data.corrupt=rows=0.2", "train.seed=3", "train.epochs=40"}})
	if err != nil {
		t.Fatal(err)
	}
	task := Of(trained(t, *c, d, Options{}))
	in, err := task.Inspect(0)
	if err != nil {
		t.Fatal(err)
	}
	a, err := task.Audit()
	if err != nil {
		t.Fatal(err)
	}
	plain := task.Detect(in).Ratio
	t.Logf("audit %.3f, residual %.3f, estimate %.3f", a.Detect.Ratio, plain, a.Wrong.Rows)
	if a.Detect.Ratio < plain || a.Wrong.Rows < 0.1 || a.Wrong.Rows > 0.3 {
		t.Errorf("the audit finds %.3f, the residual alone %.3f, and it estimates %.3f of 0.2", a.Detect.Ratio, plain,
			a.Wrong.Rows)
	}
}
