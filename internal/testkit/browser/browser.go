// Package browser looks at pages in Chromium, for tests.
package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Tab is a window of a browser.
type Tab struct {
	Page  context.Context // of the calls of chromedp
	t     testing.TB
	shots string
	mu    sync.Mutex
	said  []string // errors on the console
}

// Open opens a browser; tests are skipped without it. Pictures go to the folder shots, if it is not empty.
func Open(t testing.TB, shots string) *Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("there is no Chromium to look at the page with; apt-get install chromium brings one")
	}
	o := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-dev-shm-usage", true), chromedp.UserDataDir(t.TempDir()),
		chromedp.WindowSize(1280, 1000), chromedp.WSURLReadTimeout(time.Minute))
	all, end := chromedp.NewExecAllocator(context.Background(), o...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(all)
	t.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(end)
	tab := &Tab{Page: ctx, t: t, shots: shots}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning {
				tab.mu.Lock()
				tab.said = append(tab.said, m.String())
				tab.mu.Unlock()
			}
		}
	}()
	return tab
}

// Quiet fails where the page complained, of anything but what is allowed.
func (b *Tab) Quiet(allowed ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.said {
		if !slices.ContainsFunc(allowed, func(a string) bool { return strings.Contains(text, a) }) {
			b.t.Errorf("on the console: %s", text)
		}
	}
	b.said = nil
}

// Do runs actions.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.Page, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// Window is of a width, in the light or in the dark.
func (b *Tab) Window(width int64, scheme string) {
	b.t.Helper()
	size := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1,
		Mobile: width < 500}
	_, err := chromedp.Call(b.Page, emulation.SetDeviceMetricsOverride, size)
	if err != nil {
		b.t.Fatal(err)
	}
	colours := emulation.MediaFeature{Name: "prefers-color-scheme", Value: scheme}
	if _, err := chromedp.Call(b.Page, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{&colours}}); err != nil {
		b.t.Fatal(err)
	}
}

// Open goes to an address.
func (b *Tab) Open(url string) {
	b.t.Helper()
	b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(url))
}

// Eval is a value of JavaScript.
func Eval[T any](b *Tab, script string) T {
	b.t.Helper()
	out, err := chromedp.Run(b.Page, chromedp.Evaluate[T](script))
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// Until waits for a condition of JavaScript. A page that is being loaded again cannot be asked: that is not yet.
func (b *Tab) Until(condition string) {
	b.t.Helper()
	for begin := time.Now(); ; time.Sleep(30 * time.Millisecond) {
		met, err := chromedp.Run(b.Page, chromedp.Evaluate[bool](`Boolean(`+condition+`)`))
		if err == nil && met {
			return
		}
		if time.Since(begin) > 30*time.Second {
			b.t.Fatalf("never: %s (%v)\n%s\n%s", condition, err, Eval[string](b, "document.body.innerText"), b.said)
		}
	}
}

// Picture writes one of the whole page, where somebody wants to look.
func (b *Tab) Picture(name string) {
	b.t.Helper()
	b.picture(name, chromedp.FullScreenshot(100))
}

// View is like Picture, of what the window shows.
func (b *Tab) View(name string) {
	b.t.Helper()
	b.picture(name, chromedp.CaptureScreenshot())
}

func (b *Tab) picture(name string, taking chromedp.Action[[]byte]) {
	b.t.Helper()
	if b.shots == "" {
		return
	}
	time.Sleep(500 * time.Millisecond)
	png, err := chromedp.Run(b.Page, taking)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.shots, "page-"+name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}
