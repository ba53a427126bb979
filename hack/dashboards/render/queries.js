// Runs the queries of a panel and returns data frames, as Grafana's Prometheus data source
// does: one frame for each series, or one with a row for each series.
import { FieldType, rangeUtil } from '@grafana/data';
import { fill, settings } from './settings.js';

export async function run(panel, width) {
  const answers = await Promise.all(panel.targets.map((target) => ask(target, panel, width)));
  return panel.targets.flatMap((target, i) =>
    target.format === 'table' ? [rows(target, answers[i], panel.targets.length)] : answers[i].result.map((series) => line(target, series, answers[i].step))
  );
}

async function ask(target, panel, width) {
  const { from, to } = settings.range;
  const shortest = panel.interval ? rangeUtil.intervalToMs(panel.interval) : settings.scrapeInterval;
  const step = Math.max(rangeUtil.calculateInterval(settings.range, Math.floor(width)).intervalMs, shortest);
  // $__rate_interval is four scrapes, or one step and a scrape.
  const window = Math.max(4 * settings.scrapeInterval, step + settings.scrapeInterval);
  const parameters = new URLSearchParams({ query: fill(target.expr, { __rate_interval: `${window / 1000}s` }) });
  if (target.instant) {
    parameters.set('time', to.valueOf() / 1000);
  } else {
    // Grafana aligns the range with the step.
    const aligned = (time) => (Math.floor(time.valueOf() / step) * step) / 1000;
    parameters.set('start', aligned(from));
    parameters.set('end', aligned(to));
    parameters.set('step', step / 1000);
  }
  const response = await fetch(`/api/v1/${target.instant ? 'query' : 'query_range'}`, { method: 'POST', body: parameters });
  const answer = await response.json();
  if (answer.status !== 'success') {
    throw new Error(`${answer.error}\n${parameters.get('query')}`);
  }
  return { result: answer.data.result, step };
}

function line(target, series, step) {
  const values = series.values ?? [series.value];
  const name = (target.legendFormat || nameOf(series.metric) || target.expr).replace(/{{\s*(\w+)\s*}}/g, (_, label) => series.metric[label] ?? '');
  return {
    refId: target.refId,
    length: values.length,
    fields: [
      { name: 'Time', type: FieldType.time, config: { interval: step }, values: values.map(([at]) => at * 1000) },
      {
        name: 'Value',
        type: FieldType.number,
        labels: series.metric,
        config: { displayNameFromDS: name },
        values: values.map(([, value]) => number(value)),
      },
    ],
  };
}

function nameOf(labels) {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length ? `{${pairs.join(', ')}}` : '';
}

function rows(target, { result }, queries) {
  const labels = [...new Set(result.flatMap((series) => Object.keys(series.metric).sort()))];
  return {
    refId: target.refId,
    length: result.length,
    fields: result.length
      ? [
          { name: 'Time', type: FieldType.time, config: {}, values: result.map((series) => series.value[0] * 1000) },
          ...labels.map((label) => ({
            name: label,
            type: FieldType.string,
            config: { filterable: true },
            values: result.map((series) => series.metric[label] ?? ''),
          })),
          {
            name: queries > 1 ? `Value #${target.refId}` : 'Value',
            type: FieldType.number,
            config: {},
            values: result.map((series) => number(series.value[1])),
          },
        ]
      : [],
  };
}

const number = (text) => Number(text.replace('Inf', 'Infinity'));
