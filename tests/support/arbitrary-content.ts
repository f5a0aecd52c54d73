import fc from 'fast-check';
import { canonicalDocument } from '#server/site/entry-document';
import { newSectionFields } from '#server/site/section-types';
import type { EntryDocument, PatchOp, Section } from '#server/core/site/content';
import { sectionTypes } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';

/** Few ids, so that operations often hit an existing section. */
const sectionId = fc.integer({ min: 0, max: 7 }).map((n) => `sec_test${n}`);
const word = fc.stringMatching(/^[a-zåé]{1,8}$/);

const someFields: fc.Arbitrary<Record<string, JsonValue>> = fc.record(
  {
    heading: fc.option(word),
    body: fc.option(word),
    author: fc.option(word),
    subheading: fc.option(word),
    unknown: word,
  },
  { requiredKeys: [] },
);

/** Types whose sections have no heading. */
const withoutHeading: readonly string[] = ['image', 'quote', 'html'];

const section: fc.Arbitrary<Section> = fc
  .record({ id: sectionId, type: fc.constantFrom(...sectionTypes) })
  .chain((head) =>
    word.map((heading) => ({
      ...head,
      fields: newSectionFields(head.type, withoutHeading.includes(head.type) ? {} : { heading }),
    })),
  );

const seo = fc.record({ title: word, description: word, noIndex: fc.boolean() }, { requiredKeys: [] });

const optionalFields = {
  excerpt: fc.option(word, { nil: undefined }),
  author: fc.option(word, { nil: undefined }),
  tags: fc.option(fc.uniqueArray(word, { maxLength: 3 }), { nil: undefined }),
  image: fc.option(
    word.map((name) => `/images/${name.length}.svg`),
    { nil: undefined },
  ),
  parent: fc.option(fc.constantFrom('pag_one', 'pag_two'), { nil: undefined }),
  seo: fc.option(seo, { nil: undefined }),
};

/** A document as the backend stores it. */
export const arbitraryDocument: fc.Arbitrary<EntryDocument> = fc
  .record({
    title: word,
    slug: fc.stringMatching(/^[a-z]{1,8}$/),
    ...optionalFields,
    sections: fc.uniqueArray(section, { maxLength: 6, selector: ({ id }) => id }),
  })
  .map(canonicalDocument);

/** Any operation: many are right, some name a section that is not there or a field that does not exist. */
export const arbitraryOperation: fc.Arbitrary<PatchOp> = fc.oneof(
  fc.record({
    op: fc.constant('set' as const),
    field: fc.constantFrom('title' as const, 'excerpt' as const, 'author' as const),
    value: word,
  }),
  fc.record({
    op: fc.constant('set' as const),
    field: fc.constant('tags' as const),
    value: fc.array(word, { maxLength: 3 }),
  }),
  fc.record({ op: fc.constant('set' as const), field: fc.constant('seo' as const), value: seo }),
  fc.record({
    op: fc.constant('unset' as const),
    field: fc.constantFrom('excerpt' as const, 'tags' as const, 'image' as const, 'seo' as const),
  }),
  fc.record({ op: fc.constant('insert-section' as const), section, index: fc.nat(8) }),
  fc.record({ op: fc.constant('set-section' as const), sectionId, fields: someFields }),
  fc.record({ op: fc.constant('move-section' as const), sectionId, index: fc.nat(8) }),
  fc.record({ op: fc.constant('remove-section' as const), sectionId }),
);
