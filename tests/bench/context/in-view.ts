import type { ModelMessage } from 'ai';
import type { Share } from '#tests/bench/context/bench-report';
import { partsOf } from '#tests/bench/context/message-parts';
import { findNeedles, standsIn } from '#tests/bench/context/needles';

/*
 * What stands in a request, by the same rules for everybody: what the user said, and the names that the model wrote.
 */

/**
 * The user's messages that stand in what is sent: all their words, in order, in a text of a message that is the user's
 * or the system's, which is where everybody puts a summary. Letters, digits and `_` make a word; what stands between
 * does not count. A message also stands there as an excerpt: its first 20 and its last 10 words, and between them the id
 * by which the approach's own tool reads the whole. One that was said several times has to stand there as often.
 */
export function wordsInView(history: readonly ModelMessage[], sent: readonly ModelMessage[]): Share {
  const { hidden, of } = sortRequests(history, sent);
  return { kept: of - hidden.length, of };
}

/** The user's messages that do not stand in what is sent. */
export function hiddenRequests(history: readonly ModelMessage[], sent: readonly ModelMessage[]): string[] {
  return sortRequests(history, sent).hidden;
}

const FIRST_WORDS = 20;
const LAST_WORDS = 10;
const RECALL_ID = / recall_output id \S/;

function sortRequests(history: readonly ModelMessage[], sent: readonly ModelMessage[]) {
  const shown = ` ${wordsOf(textOf(sent.filter(({ role }) => role === 'user' || role === 'system'))).join(' ')} `;
  const requests = history
    .filter(({ role }) => role === 'user')
    .map((message) => ({ text: textOf([message]), words: wordsIn(message) }))
    .filter(({ words }) => words.length > 0);
  const hidden: string[] = [];
  for (const [words, alike] of Map.groupBy(requests, (request) => request.words.join(' '))) {
    const times = timesIn(shown, ` ${words} `) || Number(isExcerpted(shown, alike[0]?.words ?? []));
    hidden.push(...alike.slice(times).map(({ text }) => text));
  }
  return { hidden, of: requests.length };
}

function isExcerpted(shown: string, words: readonly string[]): boolean {
  if (words.length <= FIRST_WORDS + LAST_WORDS) return false;
  const first = ` ${words.slice(0, FIRST_WORDS).join(' ')} `;
  const start = shown.indexOf(first);
  if (start === -1) return false;
  const end = shown.indexOf(` ${words.slice(-LAST_WORDS).join(' ')} `, start + first.length - 1);
  return end !== -1 && RECALL_ID.test(shown.slice(start, end));
}

function timesIn(text: string, part: string): number {
  let times = 0;
  // The space after one match is the space before the next.
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length - 1)) times += 1;
  return times;
}

const readWords = new WeakMap<ModelMessage, readonly string[]>();

function wordsIn(message: ModelMessage): readonly string[] {
  const words = readWords.get(message) ?? wordsOf(textOf([message]));
  readWords.set(message, words);
  return words;
}

/** Letters, digits and `_` in a row. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
}

function textOf(messages: readonly ModelMessage[]): string {
  return partsOf(messages)
    .filter(({ kind }) => kind === 'text')
    .map(({ text }) => text)
    .join('\n');
}

/**
 * The names that the model wrote into the inputs of its calls, those of them that stand anywhere in what is sent: ids,
 * paths and addresses by their form, words that are spelt like code (`camelCase`, `snake_case`), and values that are a
 * single word. Contents count as well: the code that was written into a file names what later work will ask for.
 */
export function namesInView(history: readonly ModelMessage[], sent: readonly ModelMessage[]): Share {
  const names = new Set(history.flatMap((message) => parameterNames(message)));
  const shown = partsOf(sent)
    .map(({ text }) => text)
    .join('\n');
  return { kept: [...names].filter((name) => standsIn(shown, name)).length, of: names.size };
}

const MAX_VALUE_CHARS = 80;
/** Read of one text. */
const MAX_TEXT_CHARS = 4_000;
const IDENTIFIER = /(?<![\w$])[A-Za-z_$][\w$]{0,40}(?:[a-z0-9][A-Z]|_[A-Za-z])[\w$]{0,40}(?![\w$])/g;

const readNames = new WeakMap<ModelMessage, readonly string[]>();

function parameterNames(message: ModelMessage): readonly string[] {
  const names = readNames.get(message) ?? [...new Set(inputsOf(message).flatMap(namesInText))];
  readNames.set(message, names);
  return names;
}

function inputsOf({ role, content }: ModelMessage): string[] {
  if (role !== 'assistant' || typeof content === 'string') return [];
  return content.flatMap((part) => (part.type === 'tool-call' ? textsOf(part.input) : []));
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value.trim()];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function namesInText(text: string): string[] {
  if (/^\S+$/.test(text) && /\p{L}/u.test(text) && text.length <= MAX_VALUE_CHARS) return [text];
  const read = text.slice(0, MAX_TEXT_CHARS);
  const needles = findNeedles(read).filter(({ kind }) => kind !== 'number');
  return [...needles.map((needle) => needle.text), ...(read.match(IDENTIFIER) ?? [])];
}
