import { describe, expect, it } from 'vitest';
import { filterOf, pathOfView, viewOf } from '#components/pages/pages-view.ts';
import { NOTHING_SELECTED, rangeOf, withEntries } from '#components/pages/selection.ts';

const list = ['a', 'b', 'c', 'd'].map((id) => ({
  id,
  type: 'page' as const,
  title: id.toUpperCase(),
  publishAt: null,
}));
const ids = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

describe('a selection', () => {
  it('extends from the entry before in both directions', () => {
    expect(ids(rangeOf(list, 'b', 'd'))).toEqual(['b', 'c', 'd']);
    expect(ids(rangeOf(list, 'd', 'b'))).toEqual(['b', 'c', 'd']);
    expect(ids(rangeOf(list, null, 'c'))).toEqual(['c']);
    expect(rangeOf(list, 'a', 'gone')).toEqual([]);
    const selection = withEntries(withEntries(NOTHING_SELECTED, list, true), rangeOf(list, 'b', 'c'), false);
    expect([...selection.keys()]).toEqual(['a', 'd']);
  });
});

describe('the view of the list', () => {
  it('survives a reload, and ignores what is not valid in the address', () => {
    const path = '/library/pages?q=glaze&state=changed&tag=winter&author=Mara&from=2026-11-01&to=2026-11-30&sort=title';
    const view = viewOf(new URL(path, 'http://site.test').searchParams);
    expect(pathOfView(view)).toBe(path);
    const filter = filterOf(view);
    expect(filter).toMatchObject({ search: 'glaze', status: 'changed', sort: 'title', order: 'asc' });
    // The last day is included.
    expect(filter.updatedBefore).toBe(new Date(2026, 11, 1).getTime());
    const tree = '/library/pages?view=tree&open=pag_1%2Cpag_2';
    expect(pathOfView(viewOf(new URL(tree, 'http://site.test').searchParams))).toBe(tree);
    // A chosen order stays, also where it is the default.
    const sorted = viewOf(new URLSearchParams('sort=title'));
    const sortedTree = pathOfView({ ...sorted, isTree: true });
    expect(viewOf(new URL(sortedTree, 'http://site.test').searchParams).order).toBe('title');
    expect(filterOf({ ...viewOf(new URLSearchParams('')), isTree: true })).toMatchObject({ sort: 'title' });
    expect(pathOfView(viewOf(new URLSearchParams('state=gone&from=yesterday&sort=size')))).toBe('/library/pages');
  });
});
