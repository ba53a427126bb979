// Logs in once at a user's own login service.
import exec from 'k6/execution';
import http from 'k6/http';
// A user's script replaces flow.js.
import { login } from './flow.js';

const now = () => exec.instance.currentTestRunDuration;
let complained = false;

// attempt logs in without cookies of earlier logins, in at most timeout milliseconds. It
// returns the response that decided, whether the login succeeded, how many milliseconds do
// not count towards its latency, and why it failed if no response says that. A script may
// throw and return anything.
export function attempt(address, user, password, timeout) {
  http.cookieJar().clear(address);
  const begin = now();
  try {
    const { response, ok, untimed } = login({ address, user, password, timeout });
    const left = Math.min(Number(untimed) || 0, now() - begin);
    return { response: response || {}, ok: ok === true, untimed: Math.max(0, left), error: '' };
  } catch (exception) {
    // One line from each caller is enough to find the reason.
    if (!complained) {
      complained = true;
      console.error(`login() failed: ${exception}`);
    }
    return { response: {}, ok: false, untimed: 0, error: String(exception) };
  }
}
