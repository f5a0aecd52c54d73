import { createHash } from 'node:crypto';
import { viewTexts } from '#server/core/messages/view-texts';

/*
 * The view that hosts of MCP Apps show beside a result (extension `io.modelcontextprotocol/ui`, revision 2026-01-26): the
 * difference that waits for a decision, or the draft that was read. It is one static page without requests of its own. All
 * data arrives from the host as the result of the call, and is only ever set as text.
 */

/** A function in the form of a text: it runs in the host's sandbox, not here. */
const SCRIPT = `
'use strict';
const allTexts = ${JSON.stringify(viewTexts)};
let texts = allTexts.en;
let lastId = 0;
const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const ask = (method, params) => send({ id: (lastId += 1), method, params });
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value) => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join('\\n');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value).map(([name, inner]) => name + ': ' + textOf(inner)).join('\\n');
};
const element = (name, text, ...children) => {
  const made = document.createElement(name);
  if (text !== null) made.textContent = text;
  made.append(...children);
  return made;
};
const isWebAddress = (value) => typeof value === 'string' && /^https?:\\/\\//.test(value);

function linkTo(url) {
  const button = element('button', texts.decide);
  button.addEventListener('click', () => ask('ui/open-link', { url }));
  return button;
}

function difference({ field, before, after, excerpts }) {
  const pairs = Array.isArray(excerpts) && excerpts.length > 0 ? excerpts : [{ before, after }];
  const lines = pairs.flatMap((pair) => [
    ...(textOf(pair.before) === '' ? [] : [element('del', textOf(pair.before))]),
    ...(textOf(pair.after) === '' ? [] : [element('ins', textOf(pair.after))]),
  ]);
  return element('section', null, element('h2', textOf(field)), ...lines);
}

function approval(data, effect) {
  const list = (values) => (Array.isArray(values) ? values : []);
  return [
    element('p', texts.waits),
    element('h1', textOf(effect.summary ?? data.summary)),
    ...list(effect.warnings).map((warning) => element('p', textOf(warning))),
    ...list(effect.changes).filter(isObject).map(difference),
    ...(isObject(effect.omitted) ? [element('p', texts.more)] : []),
    ...(isWebAddress(data.decideAt) ? [linkTo(data.decideAt)] : []),
  ];
}

const HIDDEN = new Set(['id', 'kind', 'path', 'slug', 'revision', 'status', 'type', 'title']);
function fields(value, depth) {
  if (depth > 6) return [];
  if (Array.isArray(value)) return value.flatMap((each) => fields(each, depth + 1));
  if (!isObject(value)) return textOf(value) === '' ? [] : [element('p', textOf(value))];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (HIDDEN.has(name) && depth === 0) return [];
    if (typeof inner === 'string' && (name === 'heading' || name === 'title')) return [element('h2', inner)];
    return typeof inner === 'string' || typeof inner === 'object' ? fields(inner, depth + 1) : [];
  });
}

function preview(entry) {
  const sections = Array.isArray(entry.sections) ? entry.sections : [];
  return [element('p', texts.draft), element('h1', textOf(entry.title)), ...sections.flatMap((each) => fields(each, 0))];
}

function show({ structuredContent: data, _meta: meta }) {
  if (!isObject(data)) return;
  const effect = isObject(meta) && isObject(meta['throughline/effect']) ? meta['throughline/effect'] : {};
  const parts = data.status === 'waiting-for-approval' ? approval(data, effect) : data.sections ? preview(data) : [];
  document.body.replaceChildren(element('main', null, ...parts));
}

function adopt(context) {
  if (!isObject(context)) return;
  const language = textOf(context.locale).slice(0, 2);
  if (Object.hasOwn(allTexts, language)) texts = allTexts[language];
  document.documentElement.lang = Object.hasOwn(allTexts, language) ? language : 'en';
  if (context.theme === 'light' || context.theme === 'dark') document.documentElement.style.colorScheme = context.theme;
}

addEventListener('message', ({ source, data: message }) => {
  if (source !== parent || !isObject(message)) return;
  if (message.id === 1 && isObject(message.result)) {
    adopt(message.result.hostContext);
    send({ method: 'ui/notifications/initialized', params: {} });
  } else if (message.method === 'ui/notifications/tool-result' && isObject(message.params)) show(message.params);
  else if (message.method === 'ui/notifications/host-context-changed') adopt(message.params);
  else if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: {} });
});
new ResizeObserver(() => {
  const { scrollWidth: width, scrollHeight: height } = document.documentElement;
  send({ method: 'ui/notifications/size-changed', params: { width, height } });
}).observe(document.documentElement);
const appInfo = { name: 'throughline', version: '1' };
ask('ui/initialize', { appInfo, appCapabilities: {}, protocolVersion: '2026-01-26' });
`;

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { padding: 16px; overflow-wrap: anywhere; }
h1 { font-size: 17px; margin: 4px 0 12px; }
h2 { font-size: 13px; margin: 16px 0 4px; }
p { margin: 0 0 8px; white-space: pre-line; }
del, ins { display: block; padding: 4px 8px; margin: 2px 0; white-space: pre-line; text-decoration: none; }
del { background: light-dark(#fdeaea, #4a1f22); }
ins { background: light-dark(#e6f6ea, #173f26); }
button { font: inherit; margin-top: 16px; padding: 6px 12px; border: 1px solid; border-radius: 6px; background: none; color: inherit; cursor: pointer; }
`;

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Only its own script and style, whatever policy the host adds. */
const POLICY = `default-src 'none'; script-src ${hash(SCRIPT)}; style-src ${hash(STYLE)}; base-uri 'none'; form-action 'none'`;

/** The page. It is the same for everybody. */
export const viewPage = [
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Throughline</title>',
  `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
  `<style>${STYLE}</style></head><body><script>${SCRIPT}</script></body></html>`,
].join('');
