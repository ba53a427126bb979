package loopback

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// fortioConnections is large enough that a connection is free whenever a login is due, at
// loads below the service's bound.
const fortioConnections = 8

// Fortio sends a number of evenly spaced logins, and returns a record of each. fortio has no
// due times: a login is due when it is sent. The log of single calls is written into folder,
// because fortio's own percentiles are interpolated in buckets that are too wide to compare.
func Fortio(ctx context.Context, binary, folder, url string, perSecond float64, logins int, timeout time.Duration) ([]measurement.Record, error) {
	log, err := os.CreateTemp(folder, "fortio-*.json")
	if err != nil {
		return nil, fmt.Errorf("creating a file for fortio's log: %w", err)
	}
	defer log.Close()
	payload, err := json.Marshal(map[string]string{"user": User, "password": Password})
	if err != nil {
		return nil, err
	}
	// With any duration, even one that -n overrides, fortio stretches the gaps so
	// that each connection's last call falls on its end.
	command := exec.CommandContext(ctx, binary, "load", "-quiet", "-uniform", "-t", "-1s",
		"-c", strconv.Itoa(fortioConnections), "-n", strconv.Itoa(logins),
		"-qps", strconv.FormatFloat(perSecond, 'f', 3, 64), "-timeout", timeout.String(),
		"-content-type", "application/json", "-payload", string(payload),
		"-access-log-file", log.Name(), url+"/login")
	if output, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("fortio: %w\n%s", err, output)
	}
	return fortioRecords(bufio.NewScanner(log))
}

// fortioRecords reads the log of calls.
func fortioRecords(lines *bufio.Scanner) ([]measurement.Record, error) {
	var records []measurement.Record
	var zero int64
	for lines.Scan() {
		var call struct {
			Latency   float64
			Timestamp int64
			OK        bool
		}
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			return nil, fmt.Errorf("fortio's log of calls, %q: %w", lines.Text(), err)
		}
		if zero == 0 {
			zero = call.Timestamp
		}
		sent := time.Duration(call.Timestamp - zero)
		record := measurement.Record{
			Index: len(records), Due: sent, Sent: sent, Outcome: measurement.OtherError,
			Ended: sent + time.Duration(call.Latency*float64(time.Second)),
		}
		if call.OK {
			record.Outcome = measurement.OK
		}
		records = append(records, record)
	}
	return records, lines.Err()
}
