// Package opaque is a second mat.Device, for tests: the proof that a Device can live outside of package mat and that
// nothing above it needs more than the interface promises.
//
//   - Its memory is of types that nobody else has, and it panics at memory of another Device or that was freed.
//   - It has the required operations and none of the optional ones, so that package ad runs the plain forms.
//   - It records programs, and panics where one of their operations brings numbers to the host, writes, updates or
//     allocates.
//
// Every suite runs on it under the build tag opaque, with which package ad makes it the default device:
//
//	go test -tags opaque ./ad ./energy
package opaque
