package relational

import "testing"

func TestCodesAreWholeNumbersByName(t *testing.T) {
	whole := []float64{1, 2, 30}
	for name, want := range map[string]bool{"statusId": true, "status_id": true, "statusid": true, "modelid": true,
		"zip code": true, "GRID": false, "grid": false, "bid": false, "amount_paid": false, "amountPaid": false,
		"Prepaid": false, "price": false, "id": false} {
		if isCode(name, whole) != want {
			t.Errorf("isCode(%q) = %v", name, !want)
		}
	}
	if isCode("status_id", []float64{1, 2.5}) {
		t.Error("2.5 is a code")
	}
}
