module github.com/bloomgml/bloom/internal/outside

go 1.26.0

require (
	github.com/bloomgml/bloom v0.0.0
	github.com/ollama/ollama v0.17.4
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/bloomgml/bloom => ../..
