// Package torture attacks the program from outside and counts what it loses.
//
//	go test ./internal/testkit/torture -tags torture -timeout 0
//
// It kills runs at random and before every system call that writes, flips bits in everything that a run leaves, fills
// disks, starts writers side by side, hands hostile files to every reader and numbers that are not finite to every
// command, kills servers under edits, flips bits of their journals and sends them hostile requests. What must hold:
//
//   - nothing is lost: what was killed goes on and ends with the same bits;
//   - nothing is silent: a command on spoilt files fails and says so, or gives the answer that it gave before;
//   - nothing panics, and memory follows the size of what is read: at most 20 times the file and 256 MiB.
//
// It ends when it has made all its tries; -part makes a part of them, and -minutes bounds the time. Files are spoilt
// with a seed that is printed; -seed repeats it. With -record, the table of docs/reliability.md is rewritten.
package torture
