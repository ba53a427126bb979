// Logs in at a user's own login service with the requests in HASHMARK_LOGIN. A user's script
// replaces this file.
import { send } from './requests.js';

const own = __ENV.HASHMARK_LOGIN ? JSON.parse(__ENV.HASHMARK_LOGIN).steps : [];

export function login({ address, user, password, timeout }) {
  return send(own, address, { HASHMARK_USER: user, HASHMARK_PASSWORD: password }, timeout);
}
