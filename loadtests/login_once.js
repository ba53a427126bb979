// Logs in once at a user's own login service.
import exec from 'k6/execution';
import http from 'k6/http';
// A user's script replaces flow.js.
import { login } from './flow.js';

const now = () => exec.instance.currentTestRunDuration;
let complained = false;

// loginOnce logs in without cookies of earlier logins, in at most timeout milliseconds. The
// rest is as for caught.
export function loginOnce(address, user, password, timeout) {
  http.cookieJar().clear(address);
  return caught(() => login({ address, user, password, timeout }));
}

// caught returns the response that decided, whether the requests succeeded, how many
// milliseconds do not count towards the latency, and why they failed if no response says that.
// step and missing are as for send. A script may throw and return anything.
export function caught(send) {
  const begin = now();
  try {
    const { response, ok, untimed, step, missing } = send();
    const left = Math.min(Number(untimed) || 0, now() - begin);
    return { response: response || {}, ok: ok === true, untimed: Math.max(0, left), error: '', step, missing };
  } catch (exception) {
    // One line from each caller is enough to find the reason.
    if (!complained) {
      complained = true;
      console.error(`login() failed: ${exception}`);
    }
    return { response: {}, ok: false, untimed: 0, error: String(exception) };
  }
}
