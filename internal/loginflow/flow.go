package loginflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashmark-dev/hashmark/api/handover"
)

// Parse reads how to log in. It refuses unknown fields: they would be a part of the login that is not
// sent.
func Parse(text string) (handover.Login, error) {
	var login handover.Login
	if err := decode(text, &login); err != nil {
		return handover.Login{}, fmt.Errorf("read how to log in: %w", err)
	}
	if (len(login.Steps) == 0) == (login.Script == "") {
		return handover.Login{}, errors.New("read how to log in: it needs either steps or a script")
	}
	return login, nil
}

// ParseReady reads how a service says that it is ready, from JSON.
func ParseReady(text string) (check handover.HealthCheck, err error) {
	if err := decode(text, &check); err != nil {
		return handover.HealthCheck{}, fmt.Errorf("read when the service is ready: %w", err)
	}
	return check, nil
}

func decode(text string, into any) error {
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}
