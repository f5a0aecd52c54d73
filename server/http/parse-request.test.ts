import german from '#messages/de.json' with { type: 'json' };
import { messageRenderer } from '#server/core/messages/render-message';
import { valueRules } from '#server/core/value-rules';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { InvalidInputError, TooLargeError } from '#server/core/errors';
import { parse } from '#server/http/parse-request';
import { readJson } from '#server/http/read-body';
import { undoBody, writeQuery } from '#server/http/schemas/journal';

const send = (body: BodyInit) => new Request('http://localhost/api', { method: 'POST', body });
const manyFields = Array.from({ length: 20_001 }, (_, index) => [`field${index}`, index]);
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

describe('parse names the problem and its place in plain words', () => {
  const problemOf = (schema: z.ZodType, value: unknown): unknown => {
    try {
      return parse(schema, value, 'body');
    } catch (error) {
      return error instanceof InvalidInputError ? [error.message, error.details, inGerman(error.text)] : error;
    }
  };
  const inGerman = messageRenderer('de', german.server);
  const wrong = (path: string, message: string, text: string) => [
    `Invalid body${path === '' ? '' : `, "${path}"`}: ${message}.`,
    { issues: [{ path, message, reason: expect.objectContaining({ code: expect.any(String) as string }) }] },
    text,
  ];

  it.each([
    [writeQuery, { ifRevision: 'abc' }, 'ifRevision', 'must be a number', '„ifRevision“: muss eine Zahl sein.'],
    [
      writeQuery,
      { ifRevision: '1.5' },
      'ifRevision',
      'must be a whole number',
      '„ifRevision“: muss eine ganze Zahl sein.',
    ],
    [
      undoBody,
      { sessionId: 'ses_x', all: 'true' },
      'all',
      'must be true or false',
      '„all“: muss eines davon sein: false.',
    ],
    [
      undoBody,
      { changeIds: [] },
      'changeIds',
      'must have at least 1 item',
      '„changeIds“: muss mindestens 1 Eintrag haben.',
    ],
    [undoBody, { changeIds: 'chg_x' }, 'changeIds', 'must be a list', '„changeIds“: muss eine Liste sein.'],
    [
      undoBody,
      { changeId: 'chg_x', surprise: 1 },
      '',
      'takes no "surprise"',
      'Ungültige Anfrage: kennt kein Feld "surprise".',
    ],
    [z.strictObject({ url: z.url() }), { url: 'kiln' }, 'url', 'must be a URL', '„Adresse“: muss eine Adresse sein.'],
    [z.strictObject({ title: z.string() }), {}, 'title', 'is missing', '„Titel“: fehlt.'],
    [
      z.strictObject({ title: z.string().min(1, valueRules.empty) }),
      { title: '' },
      'title',
      valueRules.empty,
      '„Titel“: darf nicht leer sein.',
    ],
  ])('%#', (schema, value, path, message, text) => {
    expect(problemOf(schema, value)).toEqual(wrong(path, message, text));
  });
});

describe('readJson', () => {
  it('returns the sent body, for any split on the way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ stringUnit: 'grapheme' }), async (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('\\u0000') && !text.includes('"__proto__"'));
        expect(JSON.stringify(await readJson(trickled(text), { bytes: 100_000, values: 1_000 }))).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it('is undefined when there is no body', async () => {
    expect(
      await readJson(new Request('http://localhost/api', { method: 'POST' }), { bytes: 10, values: 1_000 }),
    ).toBeUndefined();
  });

  it('counts bytes, not characters, and takes a body of exactly the limit', async () => {
    expect(await readJson(send('"éé"'), { bytes: 6, values: 1_000 })).toBe('éé');
    await expect(readJson(send('"éé"'), { bytes: 5, values: 1_000 })).rejects.toThrow(TooLargeError);
  });

  it('trusts no Content-Length', async () => {
    const lying = new Request('http://localhost/api', {
      method: 'POST',
      body: `"${'a'.repeat(2_000)}"`,
      headers: { 'content-length': '10' },
    });
    await expect(readJson(lying, { bytes: 1_000, values: 1_000 })).rejects.toThrow(TooLargeError);
  });

  it('refuses a body with too many values while it arrives, without parsing it', async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(new TextEncoder().encode(sent === 1 ? '[{}' : ',{}'.repeat(100)));
      },
    });
    const request = new Request('http://localhost/api', { method: 'POST', body, duplex: 'half' } as RequestInit);
    const refused = await readJson(request, { bytes: 1_000_000, values: 500 }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'too_large', details: { limit: 500, unit: 'values' } });
    expect(sent).toBeLessThan(100);
  });

  it('refuses a body that does not arrive in time', async () => {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array([0x22])) });
    const request = new Request('http://localhost/api', { method: 'POST', body, duplex: 'half' } as RequestInit);
    const reading = readJson(request, { bytes: 100, values: 100 }, { limitMs: 1 });
    await expect(reading).rejects.toMatchObject({ code: 'request_timeout' });
  });

  it('refuses a body that stops arriving or arrives too slowly, also without a limit of time', async () => {
    vi.useFakeTimers();
    try {
      for (const bytesEach20Seconds of [0, 9, 10]) {
        let at = 0;
        const body = new ReadableStream<Uint8Array>({
          async pull(controller) {
            await new Promise((resolve) => setTimeout(resolve, 19_999));
            controller.enqueue(new Uint8Array(bytesEach20Seconds).fill(0x20));
            if ((at += 1) === 5) controller.enqueue(new TextEncoder().encode('true'));
            if (at === 5) controller.close();
          },
        });
        const headers = { 'content-length': '300' };
        const request = new Request('http://localhost/api', { method: 'POST', headers, body, duplex: 'half' } as never);
        const reading = readJson(request, { bytes: 300, values: 100 }).catch((error: unknown) => error);
        await vi.advanceTimersByTimeAsync(120_000);
        const expected = bytesEach20Seconds === 10 ? true : expect.objectContaining({ code: 'request_timeout' });
        expect(await reading).toEqual(expected);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not count the wait for memory as time of the sender', async () => {
    vi.useFakeTimers();
    try {
      const memory = Promise.withResolvers<void>();
      const held = { reserve: () => memory.promise, grow: () => undefined, release: () => undefined };
      const request = send('true');
      request.headers.set('content-length', '4');
      const reading = readJson(request, { bytes: 100, values: 100 }, { held, limitMs: 10_000 });
      await vi.advanceTimersByTimeAsync(19_000);
      memory.resolve();
      expect(await reading).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['no JSON', '{"a":'],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22])],
    ['cut in the middle of a character', new Uint8Array([0x22, 0xc3])],
    ['a NUL', '"a\\u0000b"'],
    ['half a surrogate pair', '["\\ud800"]'],
    ['half a pair in a name', '{"\\udc00": 1}'],
    ['__proto__', '{"a": {"__proto__": {"admin": true}}}'],
    ['an object of very many fields', JSON.stringify(Object.fromEntries(manyFields))],
    ['very deep nesting', '['.repeat(50_000) + ']'.repeat(50_000)],
  ])('refuses %s', async (_, body) => {
    await expect(readJson(send(body), { bytes: 1_000_000, values: 50_000 })).rejects.toThrow(InvalidInputError);
  });

  it.each(['3', '13', '40', '-1', 'many'])('reads a body whose length was announced as %s', async (length) => {
    const text = '{"kiln":"mug"}'.padEnd(13);
    const headers = { 'content-length': length };
    const request = { body: trickled(text).body, headers: new Headers(headers) } as Request;
    expect(await readJson(request, { bytes: 1_000, values: 10 })).toEqual({ kiln: 'mug' });
  });

  it('refuses a body that breaks off', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"a": 1'));
      },
      pull: (controller) => controller.error(new Error('socket closed')),
    });
    const request = new Request('http://localhost/api', { method: 'POST', body, duplex: 'half' } as RequestInit);
    await expect(readJson(request, { bytes: 1_000, values: 1_000 })).rejects.toThrow('did not arrive');
  });
});

it('names the problem in the name of an entry', () => {
  const schema = z.record(z.string().regex(/^[a-z]+$/, 'must be in small letters'), z.string());
  expect(() => parse(schema, { 'Not small': '' }, 'body')).toThrow(
    'Invalid body, "Not small": must be in small letters.',
  );
});
