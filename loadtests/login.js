// Loads the login service with a plan, one step after another.
//
// The due times of an open step's logins are in due-N.json beside this file, in microseconds
// from the plan's zero; N is the step's number. The rest are environment variables:
//   HASHMARK_PLAN      the plan as JSON (internal/loadplan documents its fields)
//   HASHMARK_TARGET    the address of the service, such as http://10.96.0.7:8080. With https,
//                      its certificate is not verified: it makes its own when it starts
//   HASHMARK_PODS      the addresses of its pods, comma-separated; if there are
//                      several, a saturation keeps each of them busy
//   HASHMARK_USER, HASHMARK_PASSWORD   the user of the logins
//   HASHMARK_REPLICAS  the number of pods; from 2 on, each login opens its own
//                      connection, so that all pods get their share
//   HASHMARK_HANDSHAKES  "EachLogin": each login opens its own connection
//   HASHMARK_LOGIN     how to log in at a user's own service, as JSON (package handover
//                      documents its fields)
//   HASHMARK_SESSIONS  "true": each caller logs in once per step, and then sends
//                      GET / with the session's cookie
//
// Each event is a line on stderr. All statistics are computed from these records
// elsewhere:
//   hm:zero <clock>                            once, before the load
//   hm:s <step> <login> <due> <sent>           a login is sent
//   hm:e <step> <login> <ended> <outcome>      ok, refused, timedOut or error
//   hm:total <sent> <ended>                    once, by k6's own counters
// Times are microseconds on the plan's clock. A login with an s line and no e line
// was cut off by the end of its step. A login without both was never sent.
import { sleep } from 'k6';
import { SharedArray } from 'k6/data';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Trend } from 'k6/metrics';
import { loginOnce } from './login_once.js';

// The plan's zero is this long after k6's own, so that setup() has finished.
const HEAD_START_MS = 500;
// Callers are started this long before their step, so that all of them wait for
// their due time when it begins.
const LEAD_MS = 50;
// A step's callers end when its drain does. k6 stops the rest this much later, before
// the next step's callers are started: plans leave 100 ms between steps.
const SLACK_MS = 25;
// In a closed step, a caller whose login failed pauses before the next one: a full
// queue refuses within a millisecond, and a loop around that measures nothing.
const PAUSE_AFTER_FAILURE_MS = 100;

// k6's codes for a request, and a connection, that took too long
// (lib/netext/httpext/error_codes.go).
const TIMEOUT_CODES = [1050, 1211];

const plan = JSON.parse(__ENV.HASHMARK_PLAN);
const pods = (__ENV.HASHMARK_PODS || '').split(',').map((pod) => pod.trim()).filter((pod) => pod !== '');
const sessions = __ENV.HASHMARK_SESSIONS === 'true';
// How to log in at a user's own service, or null.
const flow = __ENV.HASHMARK_LOGIN ? JSON.parse(__ENV.HASHMARK_LOGIN) : null;
const scripted = flow !== null && Boolean(flow.script);
// Zipf's law: the cumulative weights 1, 1 + 1/2, 1 + 1/2 + 1/3 and so on; null for a uniform distribution.
const accounts = flow ? flow.accounts || 1 : 1;
const popularity = flow && flow.accountDistribution === 'Zipf' ? cumulated(accounts) : null;
const credentials = JSON.stringify({ user: __ENV.HASHMARK_USER, password: __ENV.HASHMARK_PASSWORD });

const isOpen = (step) => step.kind === 'Warmup' || step.kind === 'Open';
const logins = (step) => (step.settleRequests || 0) + (step.requests || 0);
const countedStart = (step) => (step.startMs + step.settleMs) * 1000;
const countedEnd = (step) => countedStart(step) + step.countedMs * 1000;
const drainEnd = (step) => countedEnd(step) + step.drainMs * 1000;

// In a SharedArray, due times are read and stored once, not in each caller's JavaScript runtime.
const dueTimes = plan.steps.map((step, number) =>
  isOpen(step) && logins(step) > 0 ? new SharedArray(`step-${number}`, () => JSON.parse(open(`./due-${number}.json`))) : null,
);

const latency = new Trend('hashmark_latency', true);
const startLag = new Trend('hashmark_start_lag', true);
const sentLogins = new Counter('hashmark_sent');
const outcomes = new Counter('hashmark_outcomes');

export const options = {
  scenarios: scenarios(),
  // The tags of k6's own metrics become labels if the series are sent on. Other tags
  // would add series per step or address, and nothing that is not in the script's own
  // tags. A user's script need not name its requests, whose names are addresses then.
  systemTags: (scripted ? [] : ['name']).concat(['method', 'status', 'expected_response']),
  discardResponseBodies: !scripted,
  noConnectionReuse: Number(__ENV.HASHMARK_REPLICAS || 1) > 1 || __ENV.HASHMARK_HANDSHAKES === 'EachLogin',
  insecureSkipTLSVerify: __ENV.HASHMARK_TARGET.startsWith('https:'),
  // By default, k6 deletes a caller's cookies after each login.
  noCookiesReset: sessions,
};

function scenarios() {
  const all = {};
  plan.steps.forEach((step, number) => {
    const common = {
      env: { HASHMARK_STEP: String(number) },
      startTime: `${HEAD_START_MS + step.startMs - LEAD_MS}ms`,
      maxDuration: `${LEAD_MS + step.settleMs + step.countedMs + step.drainMs + SLACK_MS}ms`,
      gracefulStop: '0s',
    };
    if (!isOpen(step)) {
      const loop = { executor: 'per-vu-iterations', exec: 'closedStep', vus: step.callers, iterations: 1 };
      all[`step-${number}`] = Object.assign(loop, common);
    } else if (logins(step) > 0) {
      // k6 refuses more callers than there are iterations for them.
      const vus = Math.min(step.callers, logins(step));
      const share = { executor: 'shared-iterations', exec: 'openStep', vus, iterations: logins(step) };
      all[`step-${number}`] = Object.assign(share, common);
    }
  });
  return all;
}

// now returns the plan's clock in microseconds. It uses k6's clock and not Date.now(),
// which has only whole milliseconds.
function now() {
  return Math.round((exec.instance.currentTestRunDuration - HEAD_START_MS) * 1000);
}

// waitUntil returns whether it had to wait. It loops because a timer and k6's clock can
// differ by microseconds.
function waitUntil(moment) {
  let waited = false;
  for (let left = moment - now(); left > 0; left = moment - now()) {
    waited = true;
    sleep(left / 1e6);
  }
  return waited;
}

export function setup() {
  console.log(`hm:zero ${now()}`);
}

// openStep sends one login when it is due, whatever the outcome of earlier ones.
export function openStep() {
  const number = Number(__ENV.HASHMARK_STEP);
  const step = plan.steps[number];
  const index = exec.scenario.iterationInTest;
  const due = dueTimes[number][index];
  // A caller that was free sends, however late its timer is, so that a login due in the
  // last millisecond of the counted part is sent, too. A caller that was busy until the
  // end of the counted part sends nothing in the drain.
  const free = waitUntil(due);
  if (free || now() < countedEnd(step)) {
    const part = index < (step.settleRequests || 0) ? 'settling' : 'counted';
    login(number, index, due, part, __ENV.HASHMARK_TARGET);
  }
}

// closedStep is one caller, which logs in again once it has a response.
export function closedStep() {
  const number = Number(__ENV.HASHMARK_STEP);
  const step = plan.steps[number];
  let index = exec.scenario.iterationInTest;
  const address = addressOf(step, index);
  waitUntil(step.startMs * 1000);
  for (let begin = now(); begin < countedEnd(step); begin = now()) {
    const part = begin < countedStart(step) ? 'settling' : 'counted';
    if (login(number, index, null, part, address) !== 'ok') {
      sleep(PAUSE_AFTER_FAILURE_MS / 1000);
    }
    index += step.callers;
  }
}

// addressOf returns the address for a caller of a closed step. In a saturation, each
// caller stays with one pod: if each login went to a random pod, some pods would be idle
// part of the time, and the maximum would be too low.
function addressOf(step, caller) {
  return step.kind === 'Saturation' && pods.length > 1 ? pods[caller % pods.length] : __ENV.HASHMARK_TARGET;
}

// The step in which this caller has a session, or -1. In k6, each caller has its own
// variables, and the same callers are used in all steps.
let sessionOf = -1;

// request logs in, or sends the session's cookie, which k6 stores.
function request(number, timeout, address) {
  if (sessions && sessionOf === number) {
    return http.get(`${address}/`, { redirects: 0, timeout, tags: { name: 'session' } });
  }
  const headers = { 'Content-Type': 'application/json' };
  return http.post(`${address}/login`, credentials, { headers, redirects: 0, timeout, tags: { name: 'login' } });
}

function cumulated(n) {
  let sum = 0;
  return Array.from({ length: n }, (_, i) => (sum += 1 / (i + 1)));
}

// chance returns a number from 0 to below 1 that depends on a login only, so that a plan draws the same accounts each time
// (the mixing function of MurmurHash3).
function chance(seed, index) {
  let h = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

// userOf returns the account of a login. Package loginflow gives accounts the same names.
function userOf(step, index) {
  if (accounts === 1) {
    return __ENV.HASHMARK_USER;
  }
  const drawn = chance(step.seed || 0, index);
  const n = popularity ? popularity.findIndex((sum) => sum > drawn * popularity[accounts - 1]) : Math.floor(drawn * accounts);
  return n > 0 ? `${__ENV.HASHMARK_USER}-${n}` : __ENV.HASHMARK_USER;
}

// login sends one login and records its outcome. Without a due time, the login was due
// when it was sent.
function login(number, index, due, part, address) {
  const step = plan.steps[number];
  const sent = now();
  const from = due === null ? sent : due;
  console.log(`hm:s ${number} ${index} ${from} ${sent}`);
  sentLogins.add(1);

  const left = (drainEnd(step) - sent) / 1000;
  const timeout = Math.max(1, Math.min(plan.timeoutMs, left));
  const own = flow ? loginOnce(address, userOf(step, index), __ENV.HASHMARK_PASSWORD, timeout) : null;
  const response = own ? own.response : request(number, timeout, address);
  // The time of steps that do not count is left out at the end of the login.
  const ended = now() - (own ? Math.round(own.untimed * 1000) : 0);
  const outcome = outcomeOf(response, own ? own.ok : response.status === 200 && response.error_code === 0);
  // If the session is not accepted, the caller logs in again.
  sessionOf = outcome === 'ok' ? number : -1;
  if (outcome !== 'ok' && ended >= drainEnd(step)) {
    return 'cut';
  }
  console.log(`hm:e ${number} ${index} ${ended} ${outcome}`);
  const tags = { step: String(number), part, outcome };
  outcomes.add(1, tags);
  latency.add((ended - from) / 1000, tags);
  if (due !== null) {
    startLag.add((sent - due) / 1000, tags);
  }
  return outcome;
}

function outcomeOf(response, ok) {
  if (TIMEOUT_CODES.includes(response.error_code)) {
    return 'timedOut';
  }
  if (!ok && (response.status === 503 || response.status === 429)) {
    return 'refused';
  }
  return ok ? 'ok' : 'error';
}

// handleSummary replaces k6's own summary. It writes k6's count of logins, to check
// that all records arrived.
export function handleSummary(data) {
  const count = (name) => (data.metrics[name] ? data.metrics[name].values.count : 0);
  console.log(`hm:total ${count('hashmark_sent')} ${count('hashmark_outcomes')}`);
  return {};
}
