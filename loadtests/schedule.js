// Draws the moments at which the logins of an open step are due, in
// microseconds from the step's own beginning. Package internal/arrivals of this
// repository draws the same ones in Go; a test holds the two equal. What is
// drawn, and why so, is written there.

// generator yields 32-bit numbers: splitmix with 32 bits of state.
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

// within takes a share of a time in whole microseconds, always short of all of it.
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

// stepSchedule is the whole step's: the settling part, then the counted one,
// each with a count and a seed of its own.
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
