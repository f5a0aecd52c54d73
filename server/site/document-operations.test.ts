import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyOperations } from '#server/site/document-operations';
import type { EntryDocument, PatchOp } from '#server/core/site/content';
import { ThroughlineError } from '#server/core/errors';
import { arbitraryDocument, arbitraryOperation } from '#tests/support/arbitrary-content';
import { diffDocuments } from '#server/site/diff-documents';
import { pathsOf, pathsOverlap } from '#server/site/document-paths';

const pricing: EntryDocument = {
  title: 'Pricing',
  slug: 'pricing',
  sections: [
    { id: 'sec_hero', type: 'hero', fields: { heading: 'Prices' } },
    { id: 'sec_text', type: 'text', fields: { heading: 'Why', body: 'Because.' } },
  ],
};

/** Operations of which every one can be applied: the wrong ones are left out. */
function applicable(document: EntryDocument, operations: readonly PatchOp[]): PatchOp[] {
  const good: PatchOp[] = [];
  for (const operation of operations) {
    try {
      applyOperations(document, [...good, operation]);
      good.push(operation);
    } catch (error) {
      if (!(error instanceof ThroughlineError)) throw error;
    }
  }
  return good;
}

describe('applyOperations', () => {
  it('sets and removes fields, leaving the others', () => {
    const { document } = applyOperations(pricing, [
      { op: 'set', field: 'tags', value: ['a', 'b', 'a'] },
      { op: 'set-section', sectionId: 'sec_text', fields: { heading: null, body: 'New.' } },
    ]);
    expect(document).toEqual({
      ...pricing,
      tags: ['a', 'b'],
      sections: [pricing.sections[0], { id: 'sec_text', type: 'text', fields: { body: 'New.' } }],
    });
  });

  it('puts a section at its index, or last', () => {
    const section = { id: 'sec_new1', type: 'faq' as const, fields: {} };
    const ids = (index?: number) =>
      applyOperations(pricing, [{ op: 'insert-section', section, index }]).document.sections.map(({ id }) => id);
    expect(ids(0)).toEqual(['sec_new1', 'sec_hero', 'sec_text']);
    expect(ids()).toEqual(['sec_hero', 'sec_text', 'sec_new1']);
    expect(ids(99)).toEqual(['sec_hero', 'sec_text', 'sec_new1']);
  });

  it('lists the sections if one is unknown', () => {
    expect(() => applyOperations(pricing, [{ op: 'remove-section', sectionId: 'sec_gone' }])).toThrow(
      /no section "sec_gone".*sec_hero \(hero\), sec_text \(text\)/,
    );
  });

  it('refuses more than 60 sections', () => {
    const operations: PatchOp[] = Array.from({ length: 59 }, (_, n) => ({
      op: 'insert-section',
      section: { id: `sec_many${n}`, type: 'text', fields: {} },
    }));
    expect(() => applyOperations(pricing, operations)).toThrow(/at most 60 sections/);
  });

  it.each<[string, PatchOp]>([
    ['an empty title', { op: 'set', field: 'title', value: '  ' }],
    ['a title that is no text', { op: 'set', field: 'title', value: 7 }],
    ['a slug with spaces', { op: 'set', field: 'slug', value: 'About us' }],
    ['an unknown field', { op: 'set-section', sectionId: 'sec_hero', fields: { colour: 'red' } }],
    ['a section that is there already', { op: 'insert-section', section: pricing.sections[0]! }],
    ['a strange section id', { op: 'insert-section', section: { id: '../x', type: 'text', fields: {} } }],
  ])('refuses %s', (_, operation) => {
    expect(() => applyOperations(pricing, [operation])).toThrow(ThroughlineError);
  });

  it('is undone exactly by its inverse', () => {
    fc.assert(
      fc.property(arbitraryDocument, fc.array(arbitraryOperation, { maxLength: 12 }), (document, tried) => {
        const operations = applicable(document, tried);
        const applied = applyOperations(document, operations);
        const back = applyOperations(applied.document, applied.inverse);
        expect(JSON.stringify(back.document)).toBe(JSON.stringify(document));
        const again = applyOperations(document, applied.operations);
        expect(JSON.stringify(again.document)).toBe(JSON.stringify(applied.document));
      }),
      { numRuns: 500 },
    );
  });
});

describe('diffDocuments', () => {
  it('gives operations that make one document into the other', () => {
    fc.assert(
      fc.property(arbitraryDocument, arbitraryDocument, (from, to) => {
        const { document } = applyOperations(from, diffDocuments(from, to));
        expect(JSON.stringify(document)).toBe(JSON.stringify(to));
      }),
      { numRuns: 500 },
    );
  });
});

const title: PatchOp = { op: 'set', field: 'title', value: 'x' };
const insert: PatchOp = { op: 'insert-section', section: { id: 'sec_one1', type: 'faq', fields: {} } };
const set = (field: string): PatchOp => ({ op: 'set-section', sectionId: 'sec_one1', fields: { [field]: 'x' } });
const move: PatchOp = { op: 'move-section', sectionId: 'sec_one1', index: 0 };

describe('paths of operations overlap for', () => {
  it.each<[string, PatchOp, PatchOp, boolean]>([
    ['the same field', title, title, true],
    ['another field', title, { op: 'unset', field: 'tags' }, false],
    ['a section and something in it', insert, set('heading'), true],
    ['something in a section and its removal', set('heading'), { op: 'remove-section', sectionId: 'sec_one1' }, true],
    ['different fields of a section', set('heading'), set('body'), false],
    ['the place and the text of a section', move, set('body'), false],
    ['sections whose ids begin alike', set('body'), { op: 'remove-section', sectionId: 'sec_one12' }, false],
  ])('%s', (_, earlier, later, overlap) => expect(pathsOverlap(pathsOf([earlier]), pathsOf([later]))).toBe(overlap));
});
