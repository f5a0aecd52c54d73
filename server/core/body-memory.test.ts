import { expect, it } from 'vitest';
import { BodyMemory } from '#server/core/body-memory';
import { RateLimitedError } from '#server/core/errors';

const LARGE = 32_000_000;

it('lets a large body wait until others are done, in the order in which they came', async () => {
  const memory = new BodyMemory();
  const bodies = ['ann', 'ben', 'cleo', 'dan'].map((owner) => memory.open(owner));
  const done: number[] = [];
  const reserving = bodies.map((body, index) => body.reserve(LARGE).then(() => done.push(index)));
  await Promise.all(reserving.slice(0, 2));
  expect([done, memory.taken]).toEqual([[0, 1], 2 * LARGE]);
  bodies[1]!.release();
  await reserving[2];
  bodies[0]!.release();
  await reserving[3];
  expect([done, memory.taken]).toEqual([[0, 1, 2, 3], 2 * LARGE]);
  for (const body of bodies) body.release();
  expect(memory.taken).toBe(0);
});

it('refuses a body that has waited too long, and immediately one of unknown length', async () => {
  const memory = new BodyMemory(1);
  await Promise.all(['ann', 'ben'].map((owner) => memory.open(owner).reserve(LARGE)));
  await expect(memory.open('cleo').reserve(LARGE)).rejects.toThrow(RateLimitedError);
  const growing = memory.open('cleo');
  growing.grow(10_000);
  expect(() => growing.grow(1_000_000)).toThrow(RateLimitedError);
});

it('leaves room for small bodies and other callers, for any load of one caller', async () => {
  const memory = new BodyMemory(1);
  await memory.open('ann').reserve(LARGE);
  await expect(memory.open('ann').reserve(LARGE)).rejects.toThrow(RateLimitedError);
  await memory.open('ann').reserve(10_000);
  await memory.open('ben').reserve(LARGE);
  await memory.open('cleo').reserve(10_000);
});

it('limits the small bodies of one owner, so that those of others fit while large ones arrive', async () => {
  const memory = new BodyMemory(1);
  await memory.open('ann').reserve(LARGE);
  const reserved = Array.from({ length: 300 }, () => memory.open('ann').reserve(64_000));
  const refused = (await Promise.allSettled(reserved)).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(300 - 62);
  await memory.open('ben').reserve(LARGE);
  for (const owner of ['ben', 'cleo', 'dan']) await memory.open(owner).reserve(64_000);
});

it("leaves room for another owner's largest body next to large and medium ones of one owner", async () => {
  const memory = new BodyMemory(1);
  await memory.open('ann').reserve(LARGE);
  await expect(memory.open('ann').reserve(1_000_000)).rejects.toThrow(RateLimitedError);
  await memory.open('ben').reserve(LARGE);
});
