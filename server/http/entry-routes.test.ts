import { expect, it } from 'vitest';
import type { Entry, PatchOp } from '#server/core/site/content';
import { withOtherCustomFields } from '#server/http/entry-routes';

it('keeps the custom fields that a set does not name', () => {
  const draft = { title: 'Vase', slug: 'vase', sections: [], custom: { price: '9', size: 'L' } };
  const title: PatchOp = { op: 'set', field: 'title', value: 'Bowl' };
  const set = (value: PatchOp & { op: 'set' }) => withOtherCustomFields({ draft } as unknown as Entry, [title, value]);
  expect(set({ op: 'set', field: 'custom', value: { price: '8' } })).toEqual([
    title,
    { op: 'set', field: 'custom', value: { price: '8', size: 'L' } },
  ]);
  // It is refused unchanged.
  expect(set({ op: 'set', field: 'custom', value: 'x' })[1]).toMatchObject({ value: 'x' });
});
