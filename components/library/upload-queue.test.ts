import { beforeEach, expect, it, vi } from 'vitest';
import { type Upload, UploadQueue } from '#components/library/upload-queue.ts';

let shown: readonly Upload[] = [];
let settled: number[] = [];
/** What ends the sending of each file, by its name. */
let ends: Map<string, { done: () => void; fail: (why: string) => void; progress: (share: number) => void }>;
let queue: UploadQueue;

const picture = (name: string) => new File(['x'], name, { type: 'image/png' });
const states = () => shown.map(({ file, state }) => `${file.name} ${state}`);

beforeEach(() => {
  shown = [];
  settled = [];
  ends = new Map();
  queue = new UploadQueue({
    problemOf: ({ name }) => (name.endsWith('.txt') ? 'Not a picture.' : null),
    send: ({ name }, progress) =>
      new Promise((resolve, reject) => {
        ends.set(name, { done: resolve, fail: (why) => reject(new Error(why)), progress });
      }),
  });
  queue.listen({
    onChange: (uploads) => {
      shown = uploads;
    },
    onSettled: (taken) => settled.push(taken),
  });
});

it('uploads two files at a time, in order, and reports their progress', async () => {
  queue.add(['a.png', 'b.png', 'c.png'].map(picture));
  expect(states()).toEqual(['a.png sending', 'b.png sending', 'c.png waiting']);
  ends.get('a.png')?.progress(0.5);
  expect(shown[0]?.progress).toBe(0.5);
  ends.get('a.png')?.done();
  await vi.waitFor(() => expect(states()).toEqual(['b.png sending', 'c.png sending']));
  expect(settled).toEqual([]);
  ends.get('b.png')?.done();
  ends.get('c.png')?.done();
  await vi.waitFor(() => expect(settled).toEqual([3]));
  expect(shown).toEqual([]);
});

it('keeps what failed with its reason, and sends it again when asked to', async () => {
  queue.add(['a.png', 'notes.txt'].map(picture));
  expect(states()).toEqual(['a.png sending', 'notes.txt failed']);
  ends.get('a.png')?.fail('The picture is damaged.');
  await vi.waitFor(() => expect(shown[0]).toMatchObject({ state: 'failed', error: 'The picture is damaged.' }));
  expect(settled).toEqual([]);
  queue.retry(shown[0]?.id ?? '');
  expect(shown[0]).toMatchObject({ state: 'sending', error: null });
  ends.get('a.png')?.done();
  await vi.waitFor(() => expect(settled).toEqual([1]));
  expect(states()).toEqual(['notes.txt failed']);
  queue.dismiss(shown[0]?.id ?? '');
  expect(shown).toEqual([]);
});

it('continues without listeners, and informs listeners that are added later', async () => {
  const leave = queue.listen({ onChange: (uploads) => (shown = uploads), onSettled: (taken) => settled.push(taken) });
  queue.add(['a.png', 'b.png', 'c.png'].map(picture));
  leave();
  ends.get('a.png')?.done();
  ends.get('b.png')?.fail('The picture is damaged.');
  await vi.waitFor(() => expect(ends.has('c.png')).toBe(true));
  queue.listen({ onChange: (uploads) => (shown = uploads), onSettled: (taken) => settled.push(taken) });
  expect(states()).toEqual(['b.png failed', 'c.png sending']);
  ends.get('c.png')?.done();
  await vi.waitFor(() => expect(settled).toEqual([2]));
});
