package workload

import "testing"

// BenchmarkStep is one training epoch of every workload, of knowledge graphs one batch; -short leaves
// arxiv out.
func BenchmarkStep(b *testing.B) {
	ids, err := Select("")
	if err != nil {
		b.Fatal(err)
	}
	for _, id := range ids {
		b.Run(id.String(), func(b *testing.B) {
			if testing.Short() && id.Name == "arxiv" {
				b.Skip("arxiv takes seconds an epoch")
			}
			w := New(id)
			w.Step()
			b.ReportAllocs()
			for b.Loop() {
				w.Step()
			}
		})
	}
}
