// Command bloom is graph machine learning by bilevel optimization from the command line. Results
// go to standard output, text for people to standard error; see exit.go for the exit codes.
package main

import "os"

func main() { os.Exit(start(os.Args[1:], os.Stdout, os.Stderr)) }
