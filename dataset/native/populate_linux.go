package native

import "golang.org/x/sys/unix"

// populate has the kernel map all pages at once. All of them are about to be verified, and a fault
// for each would take longer than that.
const populate = unix.MAP_POPULATE
