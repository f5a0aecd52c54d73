import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidInputError, TooLargeError } from '#server/core/errors';
import { parse, readJson } from '#server/http/parse-request';
import { undoBody, writeQuery } from '#server/http/schemas/journal';

const send = (body: BodyInit) => new Request('http://localhost/api', { method: 'POST', body });
/** A body in pieces of one byte, so that characters are cut apart. */
function trickled(text: string): Request {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of new TextEncoder().encode(text)) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  return new Request('http://localhost/api', { method: 'POST', body, duplex: 'half' } as RequestInit);
}

describe('parse says in plain words what is wrong, and where', () => {
  const problemOf = (schema: z.ZodType, value: unknown): unknown => {
    try {
      return parse(schema, value, 'body');
    } catch (error) {
      return error instanceof InvalidInputError ? [error.message, error.details] : error;
    }
  };
  const wrong = (path: string, message: string) => [
    `Invalid body${path === '' ? '' : `, "${path}"`}: ${message}.`,
    { issues: [{ path, message }] },
  ];

  it.each([
    [writeQuery, { ifRevision: 'abc' }, 'ifRevision', 'must be a number'],
    [writeQuery, { ifRevision: '1.5' }, 'ifRevision', 'must be a whole number'],
    [undoBody, { sessionId: 'ses_x', all: 'true' }, 'all', 'must be true or false'],
    [undoBody, { changeIds: [] }, 'changeIds', 'must have at least 1 item'],
    [undoBody, { changeIds: 'chg_x' }, 'changeIds', 'must be a list'],
    [undoBody, { changeId: 'chg_x', surprise: 1 }, '', 'takes no "surprise"'],
    [z.strictObject({ url: z.url() }), { url: 'kiln' }, 'url', 'must be a URL'],
    [z.strictObject({ title: z.string() }), {}, 'title', 'is missing'],
    [z.strictObject({ title: z.string().min(1, 'must say something') }), { title: '' }, 'title', 'must say something'],
  ])('%#', (schema, value, path, message) => {
    expect(problemOf(schema, value)).toEqual(wrong(path, message));
  });
});

describe('readJson', () => {
  it('gives back what was sent, however it is cut on the way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ stringUnit: 'grapheme' }), async (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('\\u0000') && !text.includes('"__proto__"'));
        expect(JSON.stringify(await readJson(trickled(text), 100_000))).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it('is undefined when there is no body', async () => {
    expect(await readJson(new Request('http://localhost/api', { method: 'POST' }), 10)).toBeUndefined();
  });

  it('counts bytes, not characters, and takes a body of exactly the limit', async () => {
    expect(await readJson(send('"éé"'), 6)).toBe('éé');
    await expect(readJson(send('"éé"'), 5)).rejects.toThrow(TooLargeError);
  });

  it('trusts no Content-Length', async () => {
    const lying = new Request('http://localhost/api', {
      method: 'POST',
      body: `"${'a'.repeat(2_000)}"`,
      headers: { 'content-length': '10' },
    });
    await expect(readJson(lying, 1_000)).rejects.toThrow(TooLargeError);
  });

  it.each([
    ['no JSON', '{"a":'],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22])],
    ['cut in the middle of a character', new Uint8Array([0x22, 0xc3])],
    ['a NUL', '"a\\u0000b"'],
    ['half a surrogate pair', '["\\ud800"]'],
    ['half a pair in a name', '{"\\udc00": 1}'],
    ['__proto__', '{"a": {"__proto__": {"admin": true}}}'],
    ['very deep nesting', '['.repeat(50_000) + ']'.repeat(50_000)],
  ])('refuses %s', async (_, body) => {
    await expect(readJson(send(body), 1_000_000)).rejects.toThrow(InvalidInputError);
  });

  it('refuses a body that breaks off', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"a": 1'));
      },
      pull: (controller) => controller.error(new Error('socket closed')),
    });
    const request = new Request('http://localhost/api', { method: 'POST', body, duplex: 'half' } as RequestInit);
    await expect(readJson(request, 1_000)).rejects.toThrow('did not arrive');
  });
});

it('says what is wrong with the name of an entry', () => {
  const schema = z.record(z.string().regex(/^[a-z]+$/, 'must be in small letters'), z.string());
  expect(() => parse(schema, { 'Not small': '' }, 'body')).toThrow(
    'Invalid body, "Not small": must be in small letters.',
  );
});
