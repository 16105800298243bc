package cuda

import "fmt"

// Error is a call of the driver that failed.
type Error struct {
	Doing string // what was asked for
	Code  int    // a CUresult
	Name  string // of the code
}

// Codes with specific advice.
const (
	codeNoMemory   = 2
	codeOldDriver  = 35
	codeNoDevice   = 100
	codeBadDevice  = 101
	codeBadPTX     = 218
	codeNewPTX     = 222
	codeIllegal    = 700
	codeLaunch     = 719
	codeBusy       = 46
	codeUnknown    = 999
	codeECC        = 214
	codeUnloading  = 4
	codeNotAllowed = 800
)

// Error says what failed and what to do.
func (e *Error) Error() string {
	return fmt.Sprintf("cuda: %s: %s (%d): %s", e.Doing, e.Name, e.Code, e.advice())
}

// newer is what to do about a missing or an old driver.
const newer = "install version 535 or later, or use --device cpu"

func (e *Error) advice() string {
	switch e.Code {
	case codeNoMemory:
		return "the GPU has no memory left: use fewer columns or steps, a checkpointed adjoint, or --device cpu"
	case codeOldDriver, codeBadPTX, codeNewPTX:
		return "the driver is too old: " + newer
	case codeNoDevice, codeBadDevice:
		return "there is no such GPU: nvidia-smi -L lists them; or use --device cpu"
	case codeBusy, codeNotAllowed:
		return "another program uses the GPU exclusively: stop it, or use another GPU (--device cuda:1) or --device cpu"
	case codeIllegal, codeLaunch, codeECC, codeUnknown, codeUnloading:
		return "the GPU no longer responds: start the program again, it resumes from its last checkpoint; if this " +
			"happens again, check the GPU with nvidia-smi"
	}
	return "start the program again, or use --device cpu"
}
