// What to draw: the query of the page's address.
import { dateTime } from '@grafana/data';

const query = new URLSearchParams(location.search);
const from = Number(query.get('from'));
const to = Number(query.get('to'));

export const settings = {
  dashboard: query.get('dashboard'),
  theme: query.get('theme'),
  // The scrape interval of the data source, in milliseconds.
  scrapeInterval: Number(query.get('scrapeInterval')),
  range: { from: dateTime(from), to: dateTime(to), raw: { from: dateTime(from), to: dateTime(to) } },
  variables: Object.fromEntries([...query].filter(([name]) => name.startsWith('var-')).map(([name, value]) => [name.slice(4), value])),
};

// The page is opened as of the end of the time range, so that "5 minutes ago" is relative to it.
const now = Date.now;
const late = now() - to;
Date.now = () => now() - late;

export function fill(text, more = {}) {
  const values = { ...settings.variables, ...more };
  return text.replace(/\$(?:(\w+)|\{(\w+)(?::\w+)?\})/g, (all, plain, braced) => values[plain ?? braced] ?? all);
}
