import { expect, it } from 'vitest';
import { once } from '#server/core/async';

it('once makes a value once, also for those who ask meanwhile, and tries again after a failure', async () => {
  let made = 0;
  const value = once(async () => {
    made += 1;
    if (made === 1) throw new Error('out of reach');
    return made;
  });
  expect(await Promise.allSettled([value(), value()])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  expect(made).toBe(1);
  expect(await Promise.all([value(), value()])).toEqual([2, 2]);
  expect(await value()).toBe(2);
});
