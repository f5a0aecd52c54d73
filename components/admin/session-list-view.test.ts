import { describe, expect, it } from 'vitest';
import { defaultView, parseView, sortedBy, viewQuery } from '#components/admin/session-list-view.ts';

describe('the view in the address', () => {
  it('is read and written', () => {
    const view = { q: 'pricing', state: 'failed', site: 'embedded', sort: 'percent', order: 'asc' } as const;
    expect(parseView(new URLSearchParams(viewQuery(view)))).toEqual(view);
    expect(viewQuery(defaultView)).toBe('');
    expect(parseView(new URLSearchParams('state=nonsense&sort=nonsense'))).toEqual(defaultView);
  });

  it('turns the order at a second click, and begins with the largest', () => {
    const byPercent = sortedBy(defaultView, 'percent');
    expect(byPercent).toMatchObject({ sort: 'percent', order: 'desc' });
    expect(sortedBy(byPercent, 'percent').order).toBe('asc');
    expect(sortedBy(byPercent, 'title')).toMatchObject({ sort: 'title', order: 'asc' });
  });
});
