import { describe, expect, it } from 'vitest';
import type { EntryState } from '#server/content/embedded/entry-state';
import { absorbed, type RemoteState } from '#server/wordpress/absorb';
import type { EntryDocument } from '#server/core/content';

const NOW = 1_800_000_000_000;
const text = (id: string, body: string) => ({ id, type: 'text' as const, fields: { body } });
const base: EntryDocument = { title: 'Kiln', slug: 'kiln', sections: [text('sec_aaaa', 'A'), text('sec_bbbb', 'B')] };
const published: EntryState = {
  draft: base,
  published: base,
  publishedAt: NOW,
  publishAt: null,
  planned: null,
  deletedAt: null,
};
const remote = (document: EntryDocument, rest: Partial<RemoteState> = {}): RemoteState => ({
  document,
  status: 'published',
  date: NOW,
  ...rest,
});

describe('what WordPress has otherwise', () => {
  it('is the draft too, where that was as published', () => {
    const theirs = { ...base, title: 'Oven' };
    expect(absorbed(published, base, remote(theirs), NOW)).toEqual({ ...published, draft: theirs, published: theirs });
  });

  it('comes into a draft of ours where that does not touch the same, and is published in any case', () => {
    const draft = { ...base, title: 'Ours', sections: [text('sec_aaaa', 'Ours'), base.sections[1]!] };
    const sections = [text('sec_aaaa', 'Theirs'), text('sec_bbbb', 'Theirs'), text('sec_cccc', 'New')];
    const theirs = { ...base, sections };
    const after = absorbed({ ...published, draft }, base, remote(theirs), NOW);
    expect(after.published).toEqual(theirs);
    expect(after.draft).toEqual({
      ...draft,
      sections: [text('sec_aaaa', 'Ours'), text('sec_bbbb', 'Theirs'), text('sec_cccc', 'New')],
    });
  });

  it('keeps what it holds while it is in the trash, and comes out of it as it is there', () => {
    const trashed = absorbed(published, base, remote({ ...base, slug: 'x' }, { status: 'trashed', date: null }), NOW);
    expect(trashed).toEqual({ ...published, deletedAt: NOW });
    const back = absorbed(trashed, base, remote(base, { status: 'draft', date: null }), NOW);
    expect(back).toEqual({ ...published, published: null, publishedAt: null });
  });

  it('keeps our times where they are the same but for two clocks', () => {
    const planned = { ...published, published: null, publishedAt: null, publishAt: NOW + 500 };
    const at = (date: number) => absorbed(planned, base, remote(base, { status: 'planned', date }), NOW).publishAt;
    expect(at(NOW)).toBe(NOW + 500);
    expect(at(NOW + 120_000)).toBe(NOW + 120_000);
    // Of what visitors see already, WordPress knows no plan.
    expect(absorbed({ ...published, publishAt: NOW + 9 }, base, remote(base), NOW).publishAt).toBe(NOW + 9);
  });

  it('leaves what was planned as it was, on top of what was changed there', () => {
    const planned = { ...base, title: 'Planned' };
    const state = { ...published, draft: { ...base, title: 'Later' }, publishAt: NOW + 9, planned };
    const there = { ...base, slug: 'theirs' };
    expect(absorbed(state, base, remote(there), NOW)).toMatchObject({
      draft: { title: 'Later', slug: 'theirs' },
      publishAt: NOW + 9,
      planned: { title: 'Planned', slug: 'theirs' },
    });
    const future = { ...state, published: null, publishedAt: null };
    expect(absorbed(future, planned, remote(planned, { status: 'planned', date: NOW + 9 }), NOW)).toEqual(future);
    expect(absorbed(future, planned, remote(planned, { date: NOW + 9 }), NOW + 10)).toMatchObject({
      draft: { title: 'Later' },
      published: { title: 'Planned' },
      publishAt: null,
      planned: null,
    });
  });

  it('is all there is of what the mirror did not have', () => {
    const after = absorbed(null, null, remote(base, { status: 'draft', date: null }), NOW);
    expect(after).toEqual({
      draft: base,
      published: null,
      publishedAt: null,
      publishAt: null,
      planned: null,
      deletedAt: null,
    });
  });
});
