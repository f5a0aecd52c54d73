import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptInput, holdsExcerpt } from '#server/context/excerpt';
import { countTokens } from '#server/context/tokens';
import { z } from 'zod';
import type { JsonValue } from '#server/core/json';
import { excerpt, excerptTokens } from '#server/core/text/excerpt';
import { isDeep } from '#tests/support/deep';
import { anyCharacter } from '#tests/support/any-character';

const anyText = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 300 }), fc.lorem({ mode: 'sentences' }));
/** Scripts that cost one to three tokens a character. */
const dense = fc.oneof(
  fc.constantFrom('静かな陶芸教室', '🧑‍🎨🏺', 'ቤት', 'لغة').map((word) => word.repeat(80)),
  anyText,
);

describe('excerpt', () => {
  it('is the text itself, or its beginning and end with what was left out counted', () => {
    expect(excerpt('0123456789', 10)).toBe('0123456789');
    expect(excerpt('0123456789x', 10)).toBe('0123456 [... 1 characters left out ...] 89x');
    expect(excerpt('anything', 0)).toBe(' [... 8 characters left out ...] ');
  });

  it('keeps no more than asked for and never half a character', () => {
    fc.assert(
      fc.property(anyText, fc.nat(200), (text, max) => {
        const short = excerpt(text.toWellFormed(), max);
        expect(short.isWellFormed()).toBe(true);
        expect(short.replace(/ \[\.\.\. \d+ characters left out \.\.\.\] /, '').length).toBeLessThanOrEqual(max);
      }),
    );
  });
});

describe('excerptTokens', () => {
  it('fits its tokens in every script, and keeps what fits whole', () => {
    fc.assert(
      fc.property(dense, fc.nat(120), (text, max) => {
        const short = excerptTokens(text, max, countTokens);
        expect(countTokens(short)).toBeLessThanOrEqual(max);
        if (text.length <= max) expect([text, countTokens(text) > max]).toContainEqual(short === text ? text : true);
      }),
    );
  });
});

const ID = 'prt_01jd8x3k9v7q2m5n6p8r0s1t2v';
const prose = (length: number) => 'Every piece is thrown by hand. '.repeat(Math.ceil(length / 31)).slice(0, length);

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.nat(1_500).map(prose),
  fc.nat(600).map((length) => '🚀'.repeat(length)),
);
const { value: anyInput } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.string({ maxLength: 8 }), tie('value'), { maxKeys: 4 }),
    fc.tuple(tie('value'), fc.nat(30)).map(([item, count]) => Array.from({ length: count }, () => item)),
  ),
}));

/** Keys and types of a value, lists up to the bound. */
function shapeOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.slice(0, 20).map(shapeOf);
  if (typeof value !== 'object') return typeof value;
  return value && Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]));
}

describe('excerptInput', () => {
  it('cuts long texts, states the cut length and names the part', () => {
    const input = { sectionId: 'sec_k7m2p9', fields: { heading: 'Glazes', body: prose(5_000), count: 3, open: true } };
    expect(excerptInput(input, ID)).toEqual({
      sectionId: 'sec_k7m2p9',
      fields: {
        heading: 'Glazes',
        body: `${prose(200)} [... 4800 characters cut. recall_output id: ${ID}]`,
        count: 3,
        open: true,
      },
    });
  });

  it('leaves a small input unchanged', () => {
    const input = { ref: 'home', title: prose(400), tags: ['a', 'b'] };
    expect(excerptInput(input, ID)).toBe(input);
  });

  it('cuts deeper if there are many long texts', () => {
    const input = { sections: Array.from({ length: 15 }, () => ({ type: 'text', fields: { body: prose(390) } })) };
    expect(JSON.stringify(excerptInput(input, ID)).length).toBeLessThan(15 * 230);
  });

  it('keeps the first items of a long list and counts the others in the last', () => {
    const items = Array.from({ length: 50 }, (_, index) => ({
      question: `Is it ${index}?`,
      kind: 'text',
      answer: prose(90),
    }));
    const short = excerptInput({ items }, ID) as { items: JsonValue[] };
    expect(short.items.slice(0, 19)).toEqual(items.slice(0, 19));
    expect(short.items.slice(19)).toEqual([
      { ...items[19], answer: `${prose(90)} [... 30 more items cut. recall_output id: ${ID}]` },
    ]);
  });

  it('keeps a long list whole when no item has a text to say that it was cut', () => {
    const input = {
      ids: Array.from({ length: 500 }, (_, index) => `pag_${index}`),
      counts: Array<number>(300).fill(1),
    };
    expect(excerptInput(input, ID)).toBe(input);
  });

  it('stays valid where a schema wants strings, choices and numbers', () => {
    const schema = z.strictObject({
      ref: z.string().max(300),
      sections: z.array(
        z.strictObject({
          type: z.enum(['text', 'image']),
          width: z.number(),
          fields: z.record(z.string(), z.string()),
        }),
      ),
    });
    const section = fc.record({
      type: fc.constantFrom('text', 'image'),
      width: fc.integer(),
      fields: fc.dictionary(fc.string(), text),
    });
    fc.assert(
      fc.property(fc.string({ maxLength: 50 }), fc.array(section, { maxLength: 40 }), (ref, sections) => {
        expect(schema.safeParse(excerptInput({ ref, sections }, ID)).success).toBe(true);
      }),
    );
  });

  it('never cuts a character in half', () => {
    for (const lead of ['', 'a']) {
      const { body } = excerptInput({ body: lead + '🚀'.repeat(900) }, ID) as { body: string };
      expect(body.isWellFormed()).toBe(true);
    }
  });

  it('is known again when the model writes it back', () => {
    const items = Array.from({ length: 30 }, () => ({ title: 'A title', body: prose(90) }));
    const inputs: JsonValue[] = [{ fields: { body: prose(900) } }, { items }, prose(500)];
    for (const input of inputs) {
      expect(holdsExcerpt(input)).toBe(false);
      expect(holdsExcerpt(excerptInput(input, ID))).toBe(true);
    }
  });

  it('keeps the shape, never grows, and changes nothing when done again', () => {
    fc.assert(
      fc.property(anyInput, fc.constantFrom(undefined, 0, 50, 400, 2_000), (input, maxChars) => {
        const before = JSON.stringify(input);
        const short = excerptInput(input, ID, maxChars);
        expect(JSON.stringify(input)).toBe(before);
        expect(JSON.stringify(short).length).toBeLessThanOrEqual(before.length);
        expect(shapeOf(short)).toEqual(shapeOf(input));
        expect(excerptInput(short, ID, maxChars)).toEqual(short);
      }),
      { numRuns: isDeep ? 1_000 : 200 },
    );
  });
});
