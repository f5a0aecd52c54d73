import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentChanges } from '#server/site/field-changes';
import { canonicalDocument } from '#server/site/entry-document';
import { excerptsOf } from '#server/site/text/text-excerpts';
import { approvalIdOf } from '#server/core/conversation/approvals';
import type { FieldChange } from '#server/core/site/changes';
import type { EntryDocument } from '#server/core/site/content';
import { type JsonValue, toJson } from '#server/core/json';
import type { ToolEffect } from '#server/core/conversation/tool-effect';
import { completeEffect, shownEffect } from '#server/tools/shown-effect';
import { isDeep } from '#tests/support/deep';

const change = (before: FieldChange['before'], after: FieldChange['after'] = null): FieldChange => ({
  field: 'body',
  kind: 'changed',
  before,
  after,
});
const effect = (changes: readonly FieldChange[]): ToolEffect => ({
  summary: 'Changes it.',
  targets: Array.from({ length: 200 }, (_, id) => ({ type: 'page', id: `pag_${id}`, title: 'x', revision: 1 })),
  changes,
  references: [],
  warnings: [],
});
const shown = (changes: readonly FieldChange[]) => shownEffect(completeEffect(effect(changes)));

describe('the effect that an approval shows', () => {
  it('keeps a short effect unchanged', () => {
    const short = effect([change('Words', 'Other words'), change([{ question: 'Q', answer: 'A' }])]);
    expect(shownEffect(completeEffect(short))).toEqual({ ...short, digest: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });

  it('shows the text around each difference of a long text, wherever it is', () => {
    const words = Array.from({ length: 8_000 }, (_, index) => `word${index}`);
    const altered = words.map((word, index) => (index === 150 || index === 7_900 ? `${word}-changed` : word));
    const [found] = shown([change(words.join(' '), altered.join(' '))]).changes;
    expect(found?.excerpts).toHaveLength(2);
    expect(found?.excerpts?.[0]).toMatchObject({
      before: expect.stringMatching(/word149 word150 word151/),
      after: expect.stringMatching(/word149 word150-changed word151/),
    });
    expect(found?.excerpts?.[1]?.after).toContain('word7899 word7900-changed word7901');
    expect(found?.omitted).toBeUndefined();
    expect(JSON.stringify(found).length).toBeLessThan(3_000);
  });

  it('counts every difference and every change that it leaves out, and keeps every target', () => {
    const words = Array.from({ length: 8_000 }, (_, index) => `word${index}`);
    const altered = words.map((word, index) => (index % 100 === 50 ? `${word}-changed` : word));
    const complete = completeEffect(
      effect([
        change(words.join(' '), altered.join(' ')),
        change(null, 'new '.repeat(5_000)),
        ...Array.from({ length: 400 }, (_, index) => change(`before ${index}`, `after ${index}`)),
      ]),
    );
    const { changes, targets, omitted } = shownEffect(complete);
    const [long, added] = changes;
    expect(complete.changes[0]?.excerpts).toHaveLength(80);
    expect((long?.excerpts?.length ?? 0) + (long?.omitted?.differences ?? 0)).toBe(80);
    expect(added).toMatchObject({ omitted: { differences: 0, characters: 16_000 } });
    expect(changes.length + (omitted?.changes ?? 0)).toBe(402);
    expect(targets).toHaveLength(200);
    expect(JSON.stringify(changes).length).toBeLessThan(100_000);
  });

  it('is refused where it is more than can be shown at all', () => {
    const section = change(null, { body: 'x'.repeat(50_000) });
    expect(() => completeEffect(effect(Array.from({ length: 90 }, () => section)))).toThrow('smaller parts');
  });

  it('determines the text after from the text before', () => {
    const text = fc.array(fc.constantFrom('a', 'b ', 'c\n', '長い', '😀', 'word '), { maxLength: 120 });
    fc.assert(
      fc.property(text, text, text, (head, one, other) => {
        const [before, after] = [one, other].map((part) => `${head.join('')}${part.join('')}${head.join('')}`) as [
          string,
          string,
        ];
        let [rebuilt, from] = ['', 0];
        for (const { at, before: was, after: is } of excerptsOf(before, after)) {
          expect(before.slice(at, at + was.length)).toBe(was);
          expect([was, is].map((each) => each.isWellFormed())).toEqual([true, true]);
          rebuilt += before.slice(from, at) + is;
          from = at + was.length;
        }
        expect(rebuilt + before.slice(from)).toBe(after);
      }),
    );
  });
});

const words = fc.string({ maxLength: 6 });
const long = fc
  .tuple(fc.nat({ max: 300 }), fc.nat({ max: 300 }), words)
  .map(([head, tail, text]) => `${'so '.repeat(head)}${text}${' on'.repeat(tail)}`);
const section = fc.oneof(
  fc.record({ type: fc.constant('text' as const), fields: fc.record({ body: fc.oneof(words, long) }) }),
  fc.record({
    type: fc.constant('faq' as const),
    fields: fc.record({
      items: fc.array(fc.record({ question: fc.constantFrom('A', 'B', 'C'), answer: words }), { maxLength: 4 }),
    }),
  }),
  fc.record({
    type: fc.constant('gallery' as const),
    fields: fc.record({
      images: fc.array(fc.record({ src: fc.constantFrom('/a', '/b'), alt: words }), { maxLength: 3 }),
    }),
  }),
);
const documents: fc.Arbitrary<EntryDocument> = fc
  .record({
    title: words,
    slug: fc.constantFrom('a', 'b'),
    excerpt: fc.option(fc.oneof(words, long), { nil: undefined }),
    tags: fc.option(fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }), { nil: undefined }),
    parent: fc.option(fc.constantFrom('pag_1', 'pag_2'), { nil: undefined }),
    seo: fc.option(fc.record({ title: words, noIndex: fc.boolean() }), { nil: undefined }),
    custom: fc.option(fc.dictionary(fc.constantFrom('k', 'l.m'), words), { nil: undefined }),
    sections: fc
      .uniqueArray(fc.record({ id: fc.constantFrom('s1', 's2', 's3', 's4'), section }), {
        selector: ({ id }) => id,
        maxLength: 4,
      })
      .map((list) => list.map(({ id, section: each }) => ({ id, ...each }))),
  })
  .map((document) => canonicalDocument(document as EntryDocument));

/** A list with two of its items, or the items of one of its members, in other places. */
function swapped<T>(list: readonly T[], from: number, to: number): T[] {
  const copy = [...list];
  if (copy.length > 0) copy.splice(to % copy.length, 0, ...copy.splice(from % copy.length, 1));
  return copy;
}

/** A small edit of a document: sections or items that change their order, an item or section twice or gone, other words. */
const edit = fc.record({
  kind: fc.constantFrom('sections', 'items', 'double', 'remove', 'words'),
  from: fc.nat({ max: 3 }),
  to: fc.nat({ max: 3 }),
  word: words,
});

function edited(
  document: EntryDocument,
  { kind, from, to, word }: typeof edit extends fc.Arbitrary<infer T> ? T : never,
) {
  const { sections } = document;
  const at = sections.length === 0 ? 0 : from % sections.length;
  const withItems = (alter: (items: readonly JsonValue[]) => readonly JsonValue[]) =>
    sections.map((each, index) => {
      const name = ['items', 'images'].find((key) => Array.isArray(each.fields[key]));
      if (index !== at || name === undefined) return each;
      return { ...each, fields: { ...each.fields, [name]: [...alter(each.fields[name] as JsonValue[])] } };
    });
  const next = {
    sections: () => swapped(sections, from, to),
    items: () => withItems((items) => swapped(items, to, from + 1)),
    double: () => withItems((items) => [...items, ...items.slice(to, to + 1)]),
    remove: () => (to % 2 === 0 ? sections.toSpliced(at, 1) : withItems((items) => items.toSpliced(to, 1))),
    words: () =>
      sections.map((each, index) =>
        index === at && each.type === 'text'
          ? { ...each, fields: { body: `${JSON.stringify(each.fields['body'])} ${word}` } }
          : each,
      ),
  };
  return canonicalDocument({ ...document, sections: next[kind]() });
}

/** Documents that differ a little, as the versions of one page do. */
const versions = fc
  .tuple(documents, fc.array(edit, { minLength: 6, maxLength: 6 }))
  .map(([base, edits]) => [0, 2, 4].map((first) => edits.slice(first, first + 2).reduce(edited, base)));
const triples = fc.oneof(
  versions,
  fc.tuple(documents, documents, documents).map((all): EntryDocument[] => all),
);

describe('publishing', () => {
  it('shows different effects for any two documents that differ', () => {
    const text = (document: EntryDocument) => JSON.stringify(toJson(document));
    fc.assert(
      fc.property(triples, fc.boolean(), ([former, one, other], isNew) => {
        if (!former || !one || !other) throw new Error('Three documents are compared.');
        const published = isNew ? null : former;
        const [first, second] = [one, other].map((draft) => shown(documentChanges(published, draft)));
        const isEqual = text(one) === text(other);
        expect(JSON.stringify(first?.changes) === JSON.stringify(second?.changes)).toBe(isEqual);
        // So a decision about one of them is none about the other.
        expect(approvalIdOf('prt_1', first ?? null) === approvalIdOf('prt_1', second ?? null)).toBe(isEqual);
        expect(shown(documentChanges(one, one)).changes).toEqual([]);
      }),
      { numRuns: isDeep ? 600 : 200, endOnFailure: true },
    );
  });
});
