// Package browser opens pages in a headless Chromium, for tests. It reaches only files and the
// loopback interface.
package browser

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Start starts a Chromium, which ends with the test.
func Start(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.NoSandbox, chromedp.Flag("proxy-server", "127.0.0.1:9"), chromedp.Flag("disable-gpu", true))
	allocated, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, quit := chromedp.NewContext(allocated)
	t.Cleanup(quit)
	Do(t, ctx)
	return ctx
}

// Open opens a tab. The function that it returns lists what a complaint has said of the tab's
// events until then.
func Open(t *testing.T, chromium context.Context, complaint func(event any) string) (tab context.Context, heard func() []string) {
	t.Helper()
	tab, quit := chromedp.NewContext(chromium)
	t.Cleanup(quit)
	var mutex sync.Mutex
	var all []string
	err := chromedp.Listen(tab, func(event any) {
		if trouble := complaint(event); trouble != "" {
			mutex.Lock()
			defer mutex.Unlock()
			all = append(all, trouble)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	Do(t, tab, Call(network.Enable, network.EnableParams{}), Call(log.Enable, cdp.Empty{}))
	return tab, func() []string {
		mutex.Lock()
		defer mutex.Unlock()
		return all
	}
}

// Complaint returns the text of a message on the console or of an exception, or "" for any other
// event.
func Complaint(event any) string {
	switch e := event.(type) {
	case *log.EventEntryAdded:
		return e.Entry.Text + " " + e.Entry.URL
	case *runtime.EventConsoleAPICalled:
		var words []string
		for _, argument := range e.Args {
			var word any
			if json.Unmarshal(argument.Value, &word) != nil {
				word = argument.Description
			}
			text, _ := word.(string)
			words = append(words, text)
		}
		return string(e.Type) + " on the console: " + strings.Join(words, " ")
	case *runtime.EventExceptionThrown:
		if e.ExceptionDetails.Exception != nil {
			return e.ExceptionDetails.Exception.Description
		}
		return e.ExceptionDetails.Text
	}
	return ""
}

// Call returns a command of the browser's protocol as an action.
func Call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, command, params)
		return err
	})
}

// Do runs actions in a tab.
func Do(t *testing.T, tab context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(tab, actions...); err != nil {
		t.Fatal(err)
	}
}

// Get returns the result of an action in a tab.
func Get[T any](t *testing.T, tab context.Context, action chromedp.Action[T]) T {
	t.Helper()
	got, err := chromedp.Run(tab, action)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Keep writes a picture to the folder of HASHMARK_PICTURES, if that is set.
func Keep(t *testing.T, name string, content []byte) {
	t.Helper()
	folder := os.Getenv("HASHMARK_PICTURES")
	if folder == "" {
		return
	}
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, name), content, 0o644)); err != nil {
		t.Fatal(err)
	}
}
