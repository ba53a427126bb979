// Logs in at a user's own login service each time that package loginflow, which runs it, asks
// for a login.
//
// It is configured by environment variables:
//   HASHMARK_CONTROL   the address of package loginflow, which answers GET /next with the next
//                      account, and gets the outcome by POST /outcome
//   HASHMARK_LOGIN     how to log in, as JSON
//   HASHMARK_TIMEOUT   how long a login may take, in milliseconds
import http from 'k6/http';
import { caught, loginOnce } from './login_once.js';
import { send } from './requests.js';

// Whoever runs this ends it much earlier.
const LONGEST = '1h';
// The most that is quoted of a response, in characters.
const QUOTED = 200;

const setup = JSON.parse(__ENV.HASHMARK_LOGIN).setup || [];
const timeout = Number(__ENV.HASHMARK_TIMEOUT);

export const options = {
  scenarios: { logins: { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: LONGEST, gracefulStop: '0s' } },
  insecureSkipTLSVerify: true,
};

// begin sends the requests before the first login. Together they may take the time of as many logins.
function begin({ address, user, password }) {
  return caught(() => send(setup, address, { HASHMARK_USER: user, HASHMARK_PASSWORD: password }, timeout * setup.length));
}

export default function () {
  for (;;) {
    const next = http.get(`${__ENV.HASHMARK_CONTROL}/next`, { timeout: LONGEST });
    if (next.status !== 200) {
      return;
    }
    const account = next.json();
    const got = account.setup ? begin(account) : loginOnce(account.address, account.user, account.password, timeout);
    const quoted = (text) => String(text || '').slice(0, QUOTED);
    const outcome = {
      ok: got.ok,
      step: Number(got.step) || 0,
      missing: quoted(got.missing),
      status: Number(got.response.status) || 0,
      error: quoted(got.error || got.response.error),
      location: quoted((got.response.headers || {}).Location),
      body: quoted(got.response.body),
    };
    http.post(`${__ENV.HASHMARK_CONTROL}/outcome`, JSON.stringify(outcome));
  }
}
