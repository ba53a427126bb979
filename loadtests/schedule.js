// Computes the due times of the logins of an open step, in microseconds from the
// start of the step. Package internal/loadplan of this repository computes the
// same times in Go, and a test compares the two. The method and its reasons are
// documented there.

// generator returns a random generator of 32-bit numbers: splitmix with 32 bits of
// state.
function generator(seed) {
  let state = seed >>> 0;
  return function next() {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
}

// within returns a share of a time in whole microseconds, always less than the time.
function within(microseconds, share) {
  return Math.min(Math.floor(microseconds * share), microseconds - 1);
}

export function poisson(seed, n, microseconds) {
  const next = generator(seed);
  const exponential = () => -Math.log((next() + 0.5) / 4294967296);
  const sums = [];
  let total = 0;
  for (let k = 0; k < n; k++) {
    total += exponential();
    sums.push(total);
  }
  total += exponential();
  return sums.map((sum) => within(microseconds, sum / total));
}

export function uniform(n, microseconds) {
  const due = [];
  for (let k = 0; k < n; k++) {
    due.push(within(microseconds, (k + 0.5) / n));
  }
  return due;
}

// stepSchedule returns the due times of a step: the settling part, then the counted
// part, each with its own count and seed.
export function stepSchedule(step) {
  const part = (seed, n, milliseconds) =>
    step.arrivals === 'Uniform'
      ? uniform(n, milliseconds * 1000)
      : poisson(seed, n, milliseconds * 1000);
  const seed = step.seed || 0;
  const settling = part((seed + 1) >>> 0, step.settleRequests || 0, step.settleMs);
  const counted = part(seed, step.requests || 0, step.countedMs);
  return settling.concat(counted.map((due) => due + step.settleMs * 1000));
}
