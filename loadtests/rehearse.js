// Logs in at a user's own login service with the user's script, each time that the
// calibration asks for a login. Package loginflow runs it.
//
// It is configured by environment variables:
//   HASHMARK_CONTROL   the address of the calibration, which answers GET /next with the
//                      account of the next login, and gets its outcome by POST /outcome
//   HASHMARK_TARGET    the address of the service
//   HASHMARK_TIMEOUT   how long a login may take, in milliseconds
import http from 'k6/http';
import { attempt } from './attempt.js';

// A calibration ends much earlier, and ends k6 with it.
const LONGEST = '1h';
// The calibration quotes this many characters.
const QUOTED = 200;

export const options = {
  scenarios: { logins: { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: LONGEST, gracefulStop: '0s' } },
};

export default function () {
  for (;;) {
    const next = http.get(`${__ENV.HASHMARK_CONTROL}/next`, { timeout: LONGEST });
    if (next.status !== 200) {
      return;
    }
    const { user, password } = next.json();
    const { response, ok, error } = attempt(__ENV.HASHMARK_TARGET, user, password, Number(__ENV.HASHMARK_TIMEOUT));
    const outcome = {
      ok,
      status: Number(response.status) || 0,
      error: String(error || response.error || '').slice(0, QUOTED),
      body: String(response.body || '').slice(0, QUOTED),
    };
    http.post(`${__ENV.HASHMARK_CONTROL}/outcome`, JSON.stringify(outcome));
  }
}

export function handleSummary() {
  return {};
}
