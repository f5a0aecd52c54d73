import sharp from 'sharp';
import { expect, it, vi } from 'vitest';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import { type FileSource, MAX_REQUEST_IMAGE_BYTES, expandFiles } from '#server/conversation/step/attachments';
import { colouredPicture } from '#tests/support/pictures';

const image = (bytes: number) => ({ mediaType: 'image/png', filename: 'a.png', data: new Uint8Array(bytes) });
const text = (words: string) => ({ mediaType: 'text/plain', filename: 'a.txt', data: new TextEncoder().encode(words) });
const file = (id: string, mediaType = 'image/png', filename = `${id}.png`) =>
  ({ type: 'file', mediaType, data: `@blob:${id}`, filename }) as const;
const user = (...content: Extract<ModelMessage, { role: 'user' }>['content']): ModelMessage => ({
  role: 'user',
  content,
});

type Files = Readonly<Record<string, ReturnType<typeof image>>>;

const sourceOf = (files: Files): FileSource => ({
  find: async (ids) =>
    ids.flatMap((id) => {
      const found = files[id];
      return found ? [{ id, mediaType: found.mediaType, size: found.data.length }] : [];
    }),
  read: async (id) => files[id]?.data ?? null,
});

/** What became of each part of the user's messages. */
async function expand(messages: ModelMessage[], files: Files, source = sourceOf(files)) {
  const expanded = await expandFiles(messages, source);
  return expanded.flatMap((message) =>
    message.role === 'user' ? message.content.map((part) => (part.type === 'file' ? part.data : part.text)) : [],
  );
}

it('replaces names with bytes and texts, and leaves everything else unchanged', async () => {
  const elsewhere = { type: 'file', mediaType: 'image/png', data: 'https://example.org/a.png' } as const;
  const answer: ModelMessage = { role: 'assistant', content: [{ type: 'text', text: 'Seen.' }] };
  const messages = [
    user({ type: 'text', text: 'Look' }, file('one'), elsewhere),
    answer,
    user(file('two', 'text/plain')),
  ];
  const before = structuredClone(messages);
  const expanded = await expandFiles(messages, sourceOf({ one: image(3), two: text('Kiln') }));
  expect(expanded).toEqual([
    user({ type: 'text', text: 'Look' }, { ...file('one'), data: 'data:image/png;base64,AAAA' }, elsewhere),
    answer,
    user({ type: 'text', text: '<attached-file name="two.png">\nKiln\n</attached-file>' }),
  ]);
  expect(messages).toEqual(before);
});

it('trusts the store, not the part', async () => {
  expect(await expand([user(file('one', 'image/png'))], { one: text('Kiln') })).toEqual([
    '<attached-file name="one.png">\nKiln\n</attached-file>',
  ]);
});

it('shows the newest images as far as a request takes them, and names the others unread', async () => {
  const third = Math.floor(MAX_REQUEST_IMAGE_BYTES / 3);
  const files = { a: image(third), b: image(third), c: image(third), d: image(third) };
  const messages = [user(file('a'), file('b')), user(file('c')), user(file('d'))];
  const source = sourceOf(files);
  const read = vi.spyOn(source, 'read');
  const [a, ...others] = await expand(messages, files, source);
  expect(a).toBe('[Image attached: a.png; too old to be shown again]');
  for (const other of others) expect(other).toMatch(/^data:image\/png;base64,/);
  expect(read.mock.calls).toEqual([['d'], ['c'], ['b']]);
});

it('marks a deleted file as unreadable', async () => {
  const gone = ['[File attached: one.png; it cannot be read any more]'];
  const files = { one: image(3) };
  expect(await expand([user(file('one'))], {})).toEqual(gone);
  expect(await expand([user(file('one'))], files, { ...sourceOf(files), read: async () => null })).toEqual(gone);
});

it('shrinks an image above the request limit, always to the same bytes', async () => {
  const sizes = {
    long: { width: 60, height: 8_100 },
    wide: { width: 2_100, height: 30 },
    small: { width: 40, height: 30 },
  };
  const data = new Map<string, Buffer>();
  for (const [id, size] of Object.entries(sizes)) data.set(id, await colouredPicture('#b5651d', size));
  const source: FileSource = {
    find: async (ids) =>
      ids.map((id) => ({ id, mediaType: 'image/png', size: 100, ...sizes[id as keyof typeof sizes] })),
    read: async (id) => data.get(id) ?? null,
  };
  const sent = async (ids: readonly string[]) =>
    (await expand([user(...ids.map((id) => file(id)))], {}, source)).map(String);
  const sideOf = async (url: string) => {
    const { width, height } = await sharp(Buffer.from(url.split(',')[1]!, 'base64')).metadata();
    return Math.max(width, height);
  };
  const few = await sent(['long', 'wide', 'small']);
  expect(await Promise.all(few.map(sideOf))).toEqual([8_000, 2_100, 40]);
  expect(await sent(['long', 'wide', 'small'])).toEqual(few);
  const many = await sent(['long', 'wide', ...Array.from({ length: 19 }, () => 'small')]);
  expect(await Promise.all(many.slice(0, 3).map(sideOf))).toEqual([2_000, 2_000, 40]);
});
