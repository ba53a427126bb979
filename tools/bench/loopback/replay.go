package loopback

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// Replay sends a login at each due time in its own goroutine, independent of earlier ones, and
// returns a record of each. It is as simple as possible, as a reference for the others.
func Replay(ctx context.Context, url string, due []time.Duration, timeout time.Duration) ([]measurement.Record, error) {
	body, err := json.Marshal(map[string]string{"user": User, "password": Password})
	if err != nil {
		return nil, err
	}
	client := &http.Client{Timeout: timeout, Transport: &http.Transport{MaxIdleConnsPerHost: len(due)}}
	defer client.CloseIdleConnections()
	records := make([]measurement.Record, len(due))
	zero := time.Now()
	var callers sync.WaitGroup
	for i, at := range due {
		select {
		case <-ctx.Done():
			callers.Wait()
			return nil, ctx.Err()
		case <-time.After(at - time.Since(zero)):
		}
		callers.Go(func() {
			sent := time.Since(zero)
			outcome := send(ctx, client, url, body)
			records[i] = measurement.Record{Index: i, Due: at, Sent: sent, Ended: time.Since(zero), Outcome: outcome}
		})
	}
	callers.Wait()
	return records, nil
}

func send(ctx context.Context, client *http.Client, url string, body []byte) measurement.Outcome {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/login", bytes.NewReader(body))
	if err != nil {
		return measurement.OtherError
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return measurement.OtherError
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		return measurement.OtherError
	}
	return measurement.OK
}
