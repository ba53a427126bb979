// A login service on Express. bcrypt's compare computes in libuv's thread pool, so the event loop answers other requests
// meanwhile; compareSync would compute on the event loop.
import bcrypt from 'bcrypt';
import express from 'express';

const { LOGIN_USER, LOGIN_HASH, PORT = '3000' } = process.env;

const app = express();
app.use(express.json({ limit: '4kb' }));
app.get('/healthz', (_, response) => response.sendStatus(204));
app.post('/login', async (request, response) => {
  const { user, password } = request.body ?? {};
  // A user who does not exist is compared with the hash, too, so that the time of a refusal does not say who has an account.
  const matches = typeof password === 'string' && (await bcrypt.compare(password, LOGIN_HASH));
  response.sendStatus(matches && user === LOGIN_USER ? 204 : 401);
});

const server = app.listen(Number(PORT), '0.0.0.0');
process.on('SIGTERM', () => server.close(() => process.exit(0)));
