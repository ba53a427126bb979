// Logs in to the login service as a plan says, step after step.
//
// Parameters come from the environment only:
//   HASHMARK_PLAN      the plan as JSON (internal/loadplan has its fields)
//   HASHMARK_TARGET    where the service is, such as http://10.96.0.7:8080
//   HASHMARK_PODS      where each of its pods is, with commas between; of
//                      several, a saturation keeps each busy by itself
//   HASHMARK_USER, HASHMARK_PASSWORD   whom to log in
//   HASHMARK_REPLICAS  how many pods serve; from 2 on each login opens a
//                      connection of its own, so that all pods get their share
//   HASHMARK_SESSIONS  "true" lets each caller log in once a step, and then ask
//                      for GET / with the session's cookie
//
// What happens to each login is told line by line on stderr, and all statistics
// are computed from these records elsewhere, exactly:
//   hm:zero <clock>                            once, before the load
//   hm:s <step> <login> <due> <sent>           a login is sent
//   hm:e <step> <login> <ended> <outcome>      ok, refused, timedOut or error
//   hm:total <sent> <ended>                    once, by k6's own counters
// Times are microseconds on the plan's clock. A login with an s line and no e
// line was cut off by the end of its step; one without either was never sent.
import { sleep } from 'k6';
import { SharedArray } from 'k6/data';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Trend } from 'k6/metrics';
import { stepSchedule } from './schedule.js';

// The plan's zero lies this long after k6's own, so that k6 is past setup().
const HEAD_START_MS = 500;
// Callers are woken this long before their step, so that they are all asleep
// again, waiting for their moment, when it begins.
const LEAD_MS = 50;
// A step's callers end by themselves when its drain does. k6 stops what is left
// this much later, before the next step's callers are woken: plans leave
// 100 ms between steps.
const SLACK_MS = 25;
// A caller whose login failed pauses before the next in a closed step: a full
// queue refuses within a millisecond, and a loop around that measures nothing.
const PAUSE_AFTER_FAILURE_MS = 100;

// k6's codes for a request, and a connection, that took too long
// (lib/netext/httpext/error_codes.go).
const TIMEOUT_CODES = [1050, 1211];

const plan = JSON.parse(__ENV.HASHMARK_PLAN);
const pods = (__ENV.HASHMARK_PODS || '').split(',').map((pod) => pod.trim()).filter((pod) => pod !== '');
const sessions = __ENV.HASHMARK_SESSIONS === 'true';
const credentials = JSON.stringify({ user: __ENV.HASHMARK_USER, password: __ENV.HASHMARK_PASSWORD });

const isOpen = (step) => step.kind === 'Warmup' || step.kind === 'Open';
const logins = (step) => (step.settleRequests || 0) + (step.requests || 0);
const countedStart = (step) => (step.startMs + step.settleMs) * 1000;
const countedEnd = (step) => countedStart(step) + step.countedMs * 1000;
const drainEnd = (step) => countedEnd(step) + step.drainMs * 1000;

// Built in a SharedArray, a schedule is computed and held once, not in each
// caller's JavaScript runtime.
const schedules = plan.steps.map((step, number) =>
  isOpen(step) ? new SharedArray(`step-${number}`, () => stepSchedule(step)) : null,
);

const latency = new Trend('hashmark_latency', true);
const startLag = new Trend('hashmark_start_lag', true);
const sentLogins = new Counter('hashmark_sent');
const outcomes = new Counter('hashmark_outcomes');

export const options = {
  scenarios: scenarios(),
  // The tags that k6 gives its own metrics become labels of series where these
  // are sent on. Each of the rest is a series more per step or address, and
  // tells nothing that the script's own tags do not.
  systemTags: ['name', 'method', 'status', 'expected_response'],
  discardResponseBodies: true,
  noConnectionReuse: Number(__ENV.HASHMARK_REPLICAS || 1) > 1,
  // A caller's cookies would be forgotten after each of its logins.
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

// now is the plan's clock in microseconds. It is k6's own and not Date.now(),
// which only knows whole milliseconds.
function now() {
  return Math.round((exec.instance.currentTestRunDuration - HEAD_START_MS) * 1000);
}

// waitUntil tells whether there was time to wait at all. It loops because a
// timer and k6's clock need not agree to the microsecond.
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

// openStep sends one login when it is due, whatever became of earlier ones.
export function openStep() {
  const number = Number(__ENV.HASHMARK_STEP);
  const step = plan.steps[number];
  const index = exec.scenario.iterationInTest;
  const due = step.startMs * 1000 + schedules[number][index];
  // A caller that was free sends, however late its timer: a login due in the
  // counted part's last millisecond is no worse than others. One that was busy
  // until the counted part had ended begins nothing in the drain.
  const free = waitUntil(due);
  if (free || now() < countedEnd(step)) {
    const part = index < (step.settleRequests || 0) ? 'settling' : 'counted';
    login(number, index, due, part, __ENV.HASHMARK_TARGET);
  }
}

// closedStep is one caller, who logs in again once answered.
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

// addressOf is where a caller of a closed step logs in. In a saturation it stays
// with one pod: where each login went to a pod by chance, some of the pods would
// be idle for a part of the time, and the maximum would be too low.
function addressOf(step, caller) {
  return step.kind === 'Saturation' && pods.length > 1 ? pods[caller % pods.length] : __ENV.HASHMARK_TARGET;
}

// The step in which this caller holds a session, or -1: k6 gives each caller
// variables of its own, and the same callers serve all steps.
let sessionOf = -1;

// request logs in, or shows the session's cookie, which k6 keeps and sends.
function request(number, timeout, address) {
  if (sessions && sessionOf === number) {
    return http.get(`${address}/`, { redirects: 0, timeout, tags: { name: 'session' } });
  }
  const headers = { 'Content-Type': 'application/json' };
  return http.post(`${address}/login`, credentials, { headers, redirects: 0, timeout, tags: { name: 'login' } });
}

// login sends one login and tells what became of it. Without a due time it
// was due when it was sent.
function login(number, index, due, part, address) {
  const step = plan.steps[number];
  const sent = now();
  const from = due === null ? sent : due;
  console.log(`hm:s ${number} ${index} ${from} ${sent}`);
  sentLogins.add(1);

  const left = (drainEnd(step) - sent) / 1000;
  const response = request(number, Math.max(1, Math.min(plan.timeoutMs, left)), address);
  const ended = now();
  const outcome = outcomeOf(response);
  // A session that is not honoured is given up: the caller logs in again.
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

function outcomeOf(response) {
  if (TIMEOUT_CODES.includes(response.error_code)) {
    return 'timedOut';
  }
  if (response.status === 503) {
    return 'refused';
  }
  return response.status === 200 && response.error_code === 0 ? 'ok' : 'error';
}

// handleSummary takes the place of k6's own summary: k6's count of logins, to
// hold against the number of records that arrived.
export function handleSummary(data) {
  const count = (name) => (data.metrics[name] ? data.metrics[name].values.count : 0);
  console.log(`hm:total ${count('hashmark_sent')} ${count('hashmark_outcomes')}`);
  return {};
}
