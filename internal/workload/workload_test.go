package workload

import "testing"

// BenchmarkEpoch is one training epoch of every workload; -short leaves arxiv out.
func BenchmarkEpoch(b *testing.B) {
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
			w.Epoch()
			b.ReportAllocs()
			for b.Loop() {
				w.Epoch()
			}
		})
	}
}
