module github.com/bloomgml/bloom/release/rpm

go 1.26.0

require github.com/google/rpmpack v0.7.1

require (
	github.com/cavaliergopher/cpio v1.0.1 // indirect
	github.com/klauspost/compress v1.18.0 // indirect
	github.com/klauspost/pgzip v1.2.6 // indirect
	github.com/ulikunitz/xz v0.5.12 // indirect
)
