// Prints the schedules that schedule.js draws for the steps of due.json, a line
// each, for a test that holds them against those of internal/arrivals.
import { stepSchedule } from '../schedule.js';

const cases = JSON.parse(open('./due.json'));

export default function () {
  cases.forEach((one, number) => {
    console.log(`due ${number} ${stepSchedule(one.step).join(',')}`);
  });
}

export function handleSummary() {
  return {};
}
