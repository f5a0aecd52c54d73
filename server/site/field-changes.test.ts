import { describe, expect, it } from 'vitest';
import { documentChanges, valueChanges } from '#server/site/field-changes';
import type { EntryDocument, Section } from '#server/core/site/content';

const text = (id: string, body = id): Section => ({ id, type: 'text', fields: { body } });
const page: EntryDocument = { title: 'A', slug: 'a', sections: [text('a'), text('b'), text('c')] };
const brief = (before: EntryDocument | null, after: EntryDocument | null) =>
  documentChanges(before, after).map(({ field, kind, sectionId = '' }) => `${kind} ${field} ${sectionId}`.trim());

describe('documentChanges', () => {
  it('finds nothing between equal documents', () => expect(documentChanges(page, structuredClone(page))).toEqual([]));

  it('names fields one by one, those of search engines too', () => {
    const after: EntryDocument = { ...page, title: 'B', tags: ['x'], seo: { title: 'T', noIndex: true } };
    expect(documentChanges(page, after)).toEqual([
      { field: 'title', kind: 'changed', before: 'A', after: 'B' },
      { field: 'tags', kind: 'added', before: null, after: ['x'] },
      { field: 'seo', kind: 'added', before: null, after: { title: 'T', noIndex: true } },
    ]);
    expect(brief(after, { ...after, seo: { title: 'T', description: 'D' } })).toEqual([
      'added seo.description',
      'removed seo.noIndex',
    ]);
  });

  it('tells added, removed, changed and moved sections', () => {
    const after: EntryDocument = { ...page, sections: [text('c'), text('d'), text('a', 'new')] };
    expect(brief(page, after)).toEqual([
      'removed text section b',
      'added text section d',
      'changed text section › body a',
      'moved text section a',
    ]);
  });

  it('calls the one moved that passed the others', () => {
    const after: EntryDocument = { ...page, sections: [text('b'), text('c'), text('a')] };
    expect(documentChanges(page, after)).toEqual([
      { field: 'text section', kind: 'moved', sectionId: 'a', before: 1, after: 3 },
    ]);
  });

  it('shows all fields of a new thing', () => {
    expect(brief(null, page)).toEqual([
      'added title',
      'added slug',
      'added text section a',
      'added text section b',
      'added text section c',
    ]);
  });
});

describe('valueChanges', () => {
  const item = (question: string, answer = 'x') => ({ question, answer });
  const changed = (before: object[], after: object[]) =>
    valueChanges('items', before as never, after as never).map(({ field, kind }) => `${kind} ${field}`);

  it('tells items of lists by name', () => {
    expect(changed([item('Q1'), item('Q2')], [item('Q2', 'y'), item('Q3')])).toEqual([
      'removed items › Q1',
      'changed items › Q2 › answer',
      'added items › Q3',
    ]);
    expect(changed([item('Q1')], [item('Q1?', 'y')])).toEqual([
      'changed items › Q1 › question',
      'changed items › Q1 › answer',
    ]);
    expect(changed([item('Q1'), item('Q2')], [item('Q2'), item('Q1')])).toEqual(['moved items']);
    expect(changed([], [item('Q1')])).toEqual(['added items › Q1']);
  });

  it('takes lists of plain texts whole', () => {
    expect(valueChanges('tags', ['a'], ['a', 'b'])).toEqual([
      { field: 'tags', kind: 'changed', before: ['a'], after: ['a', 'b'] },
    ]);
  });
});
