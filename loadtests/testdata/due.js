// Prints the schedules that schedule.js computes for the steps of due.json, one per line. A
// test compares them with those of internal/loadplan.
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
