// A login service with better-auth, which keeps accounts and sessions in memory. Without options it hashes passwords with Node's
// scrypt, which computes in libuv's thread pool, so the event loop answers other requests meanwhile.
import http from 'node:http';

import { memoryAdapter } from 'better-auth/adapters/memory';
import { betterAuth } from 'better-auth';
import { toNodeHandler } from 'better-auth/node';

const auth = betterAuth({
  baseURL: 'http://127.0.0.1:8080',
  secret: 'only-for-measurements-and-long-enough',
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  advanced: { disableCSRFCheck: true, disableOriginCheck: true },
});
const handle = toNodeHandler(auth);
const server = http.createServer((request, response) =>
  request.url === '/healthz' ? response.writeHead(204).end() : handle(request, response),
);
server.listen(8080, '0.0.0.0');
process.on('SIGTERM', () => server.close(() => process.exit(0)));
