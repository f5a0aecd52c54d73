import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MergedEvents } from '#server/models/wire/merged-events';
import { anyCharacter } from '#tests/support/any-character';

const text = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 8 });
const chunk = (delta: object, more: object = {}, choice: object = {}) =>
  `data: ${JSON.stringify({ id: 'gen', choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...more })}`;
/** An event that only continues a text, with that text. */
const piece = fc
  .tuple(fc.constantFrom('content', 'reasoning_content'), text, fc.nat(3))
  .map(([field, words, created]) =>
    chunk({ role: 'assistant', [field]: words, refusal: null }, { created, usage: null }),
  );
/** Events that say something else, too. */
const other = fc.oneof(
  fc.constantFrom(': still here', 'data: [DONE]', 'event: ping\ndata: {}', 'data: {"choices":[]}', 'data: {half'),
  text.map((words) => chunk({ content: words }, {}, { finish_reason: 'stop' })),
  text.map((words) => chunk({ content: words }, { usage: { prompt_tokens: 1 } })),
  text.map((words) => chunk({ content: words }, { error: { message: words } })),
  text.map((words) => chunk({ content: words, tool_calls: [{ index: 0, function: { arguments: words } }] })),
  text.map((words) => chunk({ content: words, reasoning: words })),
);
const events = fc.array(fc.oneof({ weight: 4, arbitrary: piece }, { weight: 1, arbitrary: other }), { maxLength: 20 });

interface Said {
  readonly field: string;
  text: string;
}

/** The text that an event continues; null for events that are not of `piece`. */
function pieceOf(event: string): Said | null {
  if (!event.startsWith('data: {') || !event.includes('"refusal":null')) return null;
  const { choices } = JSON.parse(event.slice('data: '.length)) as { choices: [{ delta: Record<string, string> }] };
  const field = 'content' in choices[0].delta ? 'content' : 'reasoning_content';
  return { field, text: choices[0].delta[field]! };
}

/** The content of a stream: adjacent texts as one, everything else verbatim. */
function said(stream: string): (Said | string)[] {
  const all: (Said | string)[] = [];
  for (const event of stream.split('\n\n').filter((line) => line !== '')) {
    const [last, next] = [all.at(-1), pieceOf(event)];
    if (next && typeof last === 'object' && last.field === next.field) last.text += next.text;
    else all.push(next ?? event);
  }
  return all;
}

/** The events whose end has come. */
const complete = (stream: string) => stream.slice(0, stream.includes('\n\n') ? stream.lastIndexOf('\n\n') : 0);

it('equals the stream, in order and without delay, for any network chunks', () => {
  fc.assert(
    fc.property(events, fc.array(fc.nat(), { maxLength: 12 }), (given, cuts) => {
      const whole = given.map((event) => `${event}\n\n`).join('');
      const bytes = Buffer.from(whole);
      const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted(
        (a, b) => a - b,
      );
      const merging = new MergedEvents();
      const decoder = new TextDecoder();
      let [came, gone] = ['', ''];
      for (const [index, end] of places.entries()) {
        const part = bytes.subarray(places[index - 1] ?? 0, end);
        came += decoder.decode(part, { stream: true });
        gone += Buffer.from(merging.take(part)).toString();
        expect(said(gone)).toEqual(said(complete(came)));
      }
      expect(Buffer.from(merging.rest()).toString()).toBe('');
    }),
    { numRuns: 300 },
  );
});

it('makes one event of neighbours that arrive together, which is what it is for', () => {
  const stream = ['One', ' two', ' three'].map((content) => `${chunk({ role: 'assistant', content })}\n\n`).join('');
  const merged = Buffer.from(new MergedEvents().take(Buffer.from(stream))).toString();
  const event = JSON.parse(chunk({ role: 'assistant', content: 'One two three' }).slice('data: '.length)) as object;
  expect(merged.split('\n\n')).toHaveLength(2);
  expect(JSON.parse(merged.slice('data: '.length))).toEqual(event);
});

it('lets an event grow to some 500 tokens: where an answer must be cut, it is cut between two', () => {
  const words = 'x'.repeat(90);
  const stream = `${chunk({ content: words })}\n\n`.repeat(100);
  const merged = Buffer.from(new MergedEvents().take(Buffer.from(stream))).toString();
  const texts = [...merged.matchAll(/"content":"(x+)"/g)];
  expect(texts.map(([, joined = '']) => joined.length)).toEqual([2_070, 2_070, 2_070, 2_070, 720]);
});

it('leaves a stream with other ends of lines alone, wherever it is cut', () => {
  const merging = new MergedEvents();
  for (const part of [`${chunk({ content: 'One' })}\r\n\r`, '\n', 'data: {"ch'])
    expect(Buffer.from(merging.take(Buffer.from(part))).toString()).toBe(part);
  expect(Buffer.from(merging.rest()).toString()).toBe('');
});

it('returns the partial event when the stream breaks off', () => {
  const merging = new MergedEvents();
  expect(Buffer.from(merging.take(Buffer.from('data: {"ch'))).toString()).toBe('');
  expect(Buffer.from(merging.rest()).toString()).toBe('data: {"ch');
});
