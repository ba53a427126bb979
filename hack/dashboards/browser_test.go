//go:build grafana

package dashboards

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser starts a Chromium that only reaches the loopback interface.
func browser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.NoSandbox, chromedp.Flag("proxy-server", "127.0.0.1:9"), chromedp.Flag("disable-gpu", true))
	allocated, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, quit := chromedp.NewContext(allocated)
	t.Cleanup(quit)
	do(t, ctx)
	return ctx
}

// listen opens a tab and records its errors. A page that is never complete ends the test.
func listen(t *testing.T, chromium context.Context) (context.Context, func() []string) {
	t.Helper()
	limited, stop := context.WithTimeout(chromium, 3*time.Minute)
	t.Cleanup(stop)
	ctx, quit := chromedp.NewContext(limited)
	t.Cleanup(quit)
	var mutex sync.Mutex
	var heard []string
	err := chromedp.Listen(ctx, func(event any) {
		if trouble := complaint(event); trouble != "" {
			mutex.Lock()
			defer mutex.Unlock()
			heard = append(heard, trouble)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return ctx, func() []string {
		mutex.Lock()
		defer mutex.Unlock()
		return heard
	}
}

// complaint returns the text of an error or a warning.
func complaint(event any) string {
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

func enableLog() chromedp.Action[chromedp.Void] { return call(log.Enable, cdp.Empty{}) }
func enableNetwork() chromedp.Action[chromedp.Void] {
	return call(network.Enable, network.EnableParams{})
}

// call returns a command of the browser's protocol as an action.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, command, params)
		return err
	})
}

func do(t *testing.T, tab context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(tab, actions...); err != nil {
		t.Fatal(err)
	}
}

func get[T any](t *testing.T, tab context.Context, action chromedp.Action[T]) T {
	t.Helper()
	got, err := chromedp.Run(tab, action)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
