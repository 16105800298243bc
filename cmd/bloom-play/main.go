//go:build js && wasm

// Command bloom-play is the engine of the page docs/play, compiled to WebAssembly: it gives the page a function
// bloom(what, argument) of two strings, inspect.Page.Call, and stays. release/play builds it.
package main

import (
	"runtime/debug"
	"syscall/js"

	"github.com/bloomgml/bloom/internal/inspect"
)

func main() {
	debug.SetGCPercent(400) // one thread does everything, and memory is not short
	page := &inspect.Page{}
	js.Global().Set("bloom", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return page.Call(args[0].String(), args[1].String())
	}))
	select {}
}
