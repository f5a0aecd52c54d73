import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ResponseCache } from '#server/site/public/response-cache';
import { cacheableResponse } from '#server/site/public/cached-response';

const answerOf = (bytes: number) => cacheableResponse(200, { 'content-type': 'image/png' }, Buffer.alloc(bytes));

/** Lets everything be counted that is made. */
async function keepMade(kept: ResponseCache, key: string, bytes: number): Promise<void> {
  await kept.keep(key, () => answerOf(bytes));
  await setImmediate();
}

it('an answer that was dropped while it was being made counts for nothing', async () => {
  const kept = new ResponseCache(1_000);
  const slow = Promise.withResolvers<Awaited<ReturnType<typeof answerOf>>>();
  void kept.keep('slow', () => slow.promise);
  await keepMade(kept, 'first', 900);
  await keepMade(kept, 'second', 900);
  expect([kept.get('slow'), kept.get('first'), kept.get('second')]).toEqual([
    undefined,
    undefined,
    expect.any(Promise),
  ]);

  slow.resolve(await answerOf(900));
  await setImmediate();
  expect(kept.get('second')).toBeDefined();
  await keepMade(kept, 'small', 50);
  expect([kept.get('second'), kept.get('small')]).toEqual([expect.any(Promise), expect.any(Promise)]);
});

it('what fails is not kept, and leaves an answer made since under its key', async () => {
  const kept = new ResponseCache(1_000);
  const failing = Promise.withResolvers<never>();
  const refused = expect(kept.keep('page', () => failing.promise)).rejects.toThrow('gone');
  await keepMade(kept, 'first', 900);
  await keepMade(kept, 'second', 900);
  await keepMade(kept, 'page', 50);

  failing.reject(new Error('gone'));
  await refused;
  await setImmediate();
  expect(kept.get('page')).toBeDefined();

  await expect(kept.keep('other', () => Promise.reject(new Error('never')))).rejects.toThrow('never');
  await setImmediate();
  expect(kept.get('other')).toBeUndefined();
});
