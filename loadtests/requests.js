// Sends a list of HTTP requests to a user's own login service (package handover documents
// their fields).
import exec from 'k6/execution';
import encoding from 'k6/encoding';
import { parseHTML } from 'k6/html';
import http from 'k6/http';

const REFERENCE = /\$\$|\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g;

// canonical writes a header's name as Go does, which k6 uses for headers.
const canonical = (name) => name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());

function expand(text, variables) {
  return text.replace(REFERENCE, (match, name) => {
    if (match === '$$') {
      return '$';
    }
    return name in variables ? variables[name] : match;
  });
}

function expandAll(texts, variables) {
  const expanded = {};
  for (const name of Object.keys(texts)) {
    expanded[name] = expand(texts[name], variables);
  }
  return expanded;
}

const formEncoded = (fields, variables) =>
  fields.map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(expand(value, variables))}`).join('&');

// setHeaders replaces headers by those of a list. k6 sends one field for each name, so the values of a
// name that repeats are joined, as HTTP allows.
function setHeaders(headers, fields, variables) {
  const values = new Map();
  for (const field of fields) {
    const name = canonical(field.name);
    values.set(name, (values.get(name) || []).concat(expand(field.value, variables)));
  }
  for (const [name, all] of values) {
    headers[name] = all.join(name === 'Cookie' ? '; ' : ', ');
  }
}

// content returns a step's body and headers.
function content(step, variables) {
  const headers = {};
  let body = null;
  if (step.json) {
    body = JSON.stringify(expandAll(step.json, variables));
    headers['Content-Type'] = 'application/json';
  } else if (step.form) {
    body = formEncoded(step.form, variables);
    headers['Content-Type'] = 'application/x-www-form-urlencoded';
  } else if (step.body) {
    body = expand(step.body, variables);
  }
  setHeaders(headers, step.headers || [], variables);
  if (step.auth === 'Basic') {
    headers.Authorization = `Basic ${encoding.b64encode(`${variables.HASHMARK_USER}:${variables.HASHMARK_PASSWORD}`)}`;
  }
  return { body, headers };
}

// extracted returns a value in a response, or undefined if it is not there.
function extracted(extraction, response) {
  if (extraction.header) {
    return response.headers[canonical(extraction.header)] || undefined;
  }
  if (extraction.cookie) {
    const cookies = response.cookies[extraction.cookie];
    return cookies && cookies.length > 0 ? cookies[0].value : undefined;
  }
  if (extraction.formField) {
    let value;
    parseHTML(response.body).find('input').each((_, input) => {
      if (value === undefined && input.name() === extraction.formField) {
        value = input.value();
      }
    });
    return value;
  }
  if (extraction.json) {
    return jsonValue(response.body, extraction.json);
  }
  const match = new RegExp(extraction.regexp).exec(response.body);
  return match && match.length > 1 ? match[1] : undefined;
}

function jsonValue(body, path) {
  let value;
  try {
    value = JSON.parse(body);
  } catch (_) {
    return undefined;
  }
  for (const name of path.split('.')) {
    if (value === null || typeof value !== 'object' || Array.isArray(value) || !(name in value)) {
      return undefined;
    }
    value = value[name];
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

const accepts = (expect, status) =>
  expect && expect.status && expect.status.length > 0 ? expect.status.includes(status) : status >= 200 && status < 300;

// send sends requests with cookies of their own, for at most left milliseconds. It returns the
// last response, whether all requests were answered as expected, and how many milliseconds were
// not timed. If one was not, step is its number from 1, and missing the variable that its
// response lacks.
export function send(steps, address, variables, left) {
  const jar = new http.CookieJar();
  const begin = exec.instance.currentTestRunDuration;
  const onlyTimed = steps.some((step) => step.timed);
  let untimed = 0;
  let response;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i];
    const sent = exec.instance.currentTestRunDuration;
    const { body, headers } = content(step, variables);
    const parameters = {
      jar,
      headers,
      redirects: 0,
      timeout: Math.max(1, left - (sent - begin)),
      tags: { name: step.name || `step ${i + 1}` },
    };
    if (step.extract) {
      parameters.responseType = 'text'; // also if other bodies are discarded
    }
    response = http.request(step.method || 'GET', address + expand(step.path, variables), body, parameters);
    const answered = response.error_code === 0 || response.error_code >= 1300;
    const ok = answered && accepts(step.expect, response.status);
    const missing = ok ? extractAll(step.extract || [], response, variables) : undefined;
    if (!ok || missing !== undefined) {
      return { response, ok: false, untimed, step: i + 1, missing };
    }
    if (onlyTimed && !step.timed) {
      untimed += exec.instance.currentTestRunDuration - sent;
    }
  }
  return { response, ok: true, untimed };
}

// extractAll adds a step's values to the variables, and returns the name of one that is not in
// the response, or undefined.
function extractAll(extractions, response, variables) {
  for (const extraction of extractions) {
    const value = extracted(extraction, response);
    if (value === undefined) {
      return extraction.name;
    }
    variables[extraction.name] = value;
  }
  return undefined;
}
