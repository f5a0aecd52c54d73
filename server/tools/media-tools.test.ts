import { describe, expect, it } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { InvalidInputError, NotFoundError, ToolError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { pictureColors } from '#server/site/media/picture-palette';
import { preparePicture } from '#server/site/media/prepare-picture';
import { createContentRepository } from '#server/site/store/content-repository';
import { findTool } from '#server/tools/index';
import { createLookAtPicture, type PictureQuestion } from '#server/tools/media-tools';
import type { EffectContext, SessionFile, SessionFiles, Tool } from '#server/tools/tool';
import { colouredPicture } from '#tests/support/pictures';
import { createTestDatabase } from '#tests/support/test-database';
import { noHistory, noWishes } from '#tests/support/no-conversation';

interface Result {
  readonly [name: string]: JsonValue;
}
/** Of every result: its names are texts. */
type Texts = Readonly<Record<string, string>>;
type Run = (name: string, input?: Result) => Promise<Texts>;

const origin = { actor: 'assistant', sessionId: 'ses_1', turnId: 'trn_1', toolCallId: 'call_1' } as const;
const pictures = new Map([
  ['blb_1', await colouredPicture('#b5651d')],
  ['blb_2', await colouredPicture('#2b5bd7')],
  ['blb_3', await colouredPicture('#3f7d3a')],
]);
const file = (id: string, filename: string, mediaType = 'image/png'): SessionFile => ({
  id,
  filename,
  mediaType,
  width: 120,
  height: 80,
});
const attached = [
  file('blb_1', 'Kiln.png'),
  file('blb_2', 'image.png'),
  file('blb_3', 'image.png'),
  file('blb_4', 'notes.md', 'text/markdown'),
  file('blb_5', 'gone.png'),
];

/** What was asked of the model for pictures, which answers with the name. */
const asked: PictureQuestion[] = [];
const lookAtPicture = createLookAtPicture((question) => {
  asked.push(question);
  return Promise.resolve(`It is ${question.filename}.`);
});

function tool(name: string): Tool {
  const found = name === lookAtPicture.name ? lookAtPicture : findTool(name);
  if (!found) throw new Error(`There is no tool ${name}.`);
  return found;
}

async function withMedia(
  test: (run: Run, content: ContentBackend) => Promise<void>,
  list: readonly SessionFile[] = attached,
): Promise<void> {
  const db = await createTestDatabase();
  try {
    const content = new EmbeddedSite(createContentRepository(db), {
      preparePicture,
      fetchPicture: async (address) => ({ data: pictures.get('blb_1')!, filename: new URL(address).pathname.slice(1) }),
    });
    const files: SessionFiles = { list: async () => list, read: async (id) => pictures.get(id) ?? null };
    const run: Run = async (name, input = {}) => {
      const found = tool(name);
      const context = {
        siteId: 'embedded',
        scopes: ['content:write'] as const,
        content,
        origin,
        history: noHistory,
        wishes: noWishes,
        files,
        signal: new AbortController().signal,
      };
      return JSON.parse(JSON.stringify(await found.execute(found.input.parse(input), context)));
    };
    await test(run, content);
  } finally {
    await db.close();
  }
}

describe('add_media', () => {
  it('takes a picture from an address, which its user sees and agrees to first', () =>
    withMedia(async (run, content) => {
      const input = { file: 'https://pictures.test/kiln.png', alt: 'A kiln' };
      const addMedia = tool('add_media');
      expect(await addMedia.asks?.(input, { content, origin })).toBe(true);
      expect((await addMedia.effect?.(input, { content, origin }))?.summary).toContain(
        'Downloads https://pictures.test/kiln.png and adds it',
      );
      expect(await addMedia.asks?.({ file: 'kiln.png' }, { content, origin })).toBe(false);
      const added = await run('add_media', input);
      expect(await content.assets.get(added.id!)).toMatchObject({ filename: 'kiln.png', alt: 'A kiln' });
    }));

  it('needs no approval for an image that is not attached or an invalid description', () =>
    withMedia(async (_run, content) => {
      const addMedia = tool('add_media');
      const effect = (input: object, given: EffectContext) => addMedia.effect!(input, given);
      const files: SessionFiles = { list: async () => attached, read: async (id) => pictures.get(id) ?? null };
      const context = { content, origin, files };
      await expect(effect({ file: 'kiln.png' }, context)).resolves.toMatchObject({ summary: expect.any(String) });
      await expect(effect({ file: 'other.png' }, context)).rejects.toThrow('There is no image in this conversation');
      await expect(effect({}, { ...context, files: { ...files, list: async () => [] } })).rejects.toThrow(
        'No image is attached here. Ask the user to attach one.',
      );
      const alt = { file: 'kiln.png', alt: 'a\u0000b'.repeat(400) };
      await expect(effect(alt, context)).rejects.toThrow(InvalidInputError);
    }));

  it('takes an attached image into the library, by its name in any case', () =>
    withMedia(async (run, content) => {
      const result = await run('add_media', { file: 'kiln.PNG', alt: 'A kiln at dawn' });
      expect(result).toEqual({
        id: expect.stringMatching(/^ast_/),
        url: `/media/${result['id']!}/kiln.png`,
        filename: 'Kiln.png',
        alt: 'A kiln at dawn',
        size: '120 x 80',
        changeId: expect.stringMatching(/^chg_/),
      });
      const { data } = await content.assets.read(result['id']!, 'full');
      expect(Buffer.compare(data, pictures.get('blb_1')!)).toBe(0);
    }));

  it('uses the newest image without a name', () =>
    withMedia(async (run) => {
      expect(await run('add_media', { alt: 'A kiln' })).toMatchObject({ filename: 'Kiln.png' });
    }));

  it('requires a description for a picture without one', () =>
    withMedia(async (run) => {
      const added = await run('add_media', { file: 'Kiln.png' });
      expect(added).toMatchObject({ alt: null, note: 'alt is missing: describe it, or ask the user' });
      expect(await run('list_media', { missingAlt: true })).toMatchObject({ total: 1, items: [{ alt: null }] });
      expect(await run('update_media', { ref: added['url']!, alt: 'A kiln' })).not.toHaveProperty('note');
      const none = await run('list_media', { missingAlt: true });
      expect(none).toMatchObject({ total: 0, note: expect.stringContaining('not in the library') as string });
      expect(await run('list_media', { query: 'kiln' })).toMatchObject({ items: [{ alt: 'A kiln' }] });
    }));

  it('names those of one name, newest first, and takes one by its id', () =>
    withMedia(async (run) => {
      const call = run('add_media', { file: 'image.png' });
      await expect(call).rejects.toThrow(InvalidInputError);
      await expect(call).rejects.toThrow('image.png (blb_2, 120 x 80); image.png (blb_3, 120 x 80)');
      expect(await run('add_media', { file: 'blb_3' })).toMatchObject({ filename: 'image.png' });
    }));

  it('lists the attachments if the name is unknown, a text, or deleted', () =>
    withMedia(async (run) => {
      await expect(run('add_media', { file: 'mug.png' })).rejects.toThrow(
        'Attached, newest first: Kiln.png, image.png',
      );
      await expect(run('add_media', { file: 'notes.md' })).rejects.toThrow(NotFoundError);
      await expect(run('add_media', { file: 'gone.png' })).rejects.toThrow(ToolError);
    }));

  it('replaces an image, after approval if visitors see it', () =>
    withMedia(async (run, content) => {
      const { id, url } = await run('add_media', { file: 'Kiln.png', alt: 'A kiln' });
      const replacement = { file: 'blb_2', replaces: id! };
      const addMedia = tool('add_media');
      expect(await addMedia.asks?.(replacement, { content, origin })).toBe(false);
      const { entry } = await content.create(
        { type: 'page', title: 'Studio', sections: [{ type: 'image', fields: { src: url!, alt: 'A kiln' } }] },
        origin,
      );
      expect(await addMedia.asks?.(replacement, { content, origin })).toBe(false);
      await content.publish(entry.id, origin);
      expect(await addMedia.asks?.(replacement, { content, origin })).toBe(true);
      expect(await addMedia.effect?.(replacement, { content, origin })).toMatchObject({
        summary: 'Replaces the picture Kiln.png by blb_2, wherever it is shown.',
        targets: [{ type: 'asset', id, revision: 1 }],
        references: [{ kind: 'image', isPublished: true, from: { title: 'Studio' } }],
      });
      expect(await run('add_media', replacement)).toMatchObject({ id, url, alt: 'A kiln' });
      expect(Buffer.compare((await content.assets.read(id!, 'full')).data, pictures.get('blb_2')!)).toBe(0);
    }));

  it('replaces nothing without a named image or valid description, and accepts an equal one', () =>
    withMedia(async (run, content) => {
      const { id } = await run('add_media', { file: 'Kiln.png', alt: 'A kiln' });
      const replacement = { file: 'blb_2', replaces: id! };
      await expect(run('add_media', { replaces: id! })).rejects.toThrow('Name the replacement image');
      await expect(run('add_media', { ...replacement, alt: 'Two\nlines' })).rejects.toThrow(InvalidInputError);
      expect(await content.assets.get(id!)).toMatchObject({ revision: 1 });
      expect(await run('add_media', { ...replacement, alt: ' A kiln ' })).toMatchObject({ id, alt: 'A kiln' });
    }));
});

describe('list_media', () => {
  it('knows the pictures in use, and which of them visitors see', () =>
    withMedia(async (run, content) => {
      const { url } = await run('add_media', { file: 'Kiln.png', alt: 'A kiln' });
      await run('add_media', { file: 'blb_2', alt: 'Another' });
      const fields = { src: url!, alt: 'A kiln' };
      for (const title of ['Studio', 'Plans']) {
        await content.create({ type: 'page', title, sections: [{ type: 'image', fields }] }, { actor: 'user' });
      }
      await content.publish((await content.get('studio')).id, { actor: 'user' });
      const { items } = (await run('list_media')) as unknown as { items: { alt: string; used_in: string[] }[] };
      expect(items.map(({ alt, used_in }) => [alt, used_in])).toEqual([
        ['Another', []],
        ['A kiln', ['Studio', 'Plans (draft)']],
      ]);
    }));
});

describe('a picture in a page', () => {
  const note = (id: string) => `alt is missing: describe it, or ask the user (${id})`;

  it('without a description is reported once, at any placement', () =>
    withMedia(async (run, content) => {
      const { url } = await run('add_media', { file: 'Kiln.png', alt: 'A kiln' });
      const src = url!;
      const created = await run('create_content', {
        type: 'page',
        title: 'Studio',
        sections: [
          { type: 'image', fields: { src } },
          { type: 'text', fields: { body: 'x' } },
        ],
      });
      const [image] = (await content.get('studio')).draft.sections;
      expect(created['note']).toBe(note(image!.id));
      const described = { sectionId: image!.id, fields: { alt: 'A kiln' } };
      expect(await run('update_section', described)).not.toHaveProperty('note');
      const hero = await run('add_section', { ref: 'studio', type: 'hero', fields: { heading: 'x', image: src } });
      const heroId = hero['sectionId']!;
      expect(hero['note']).toBe(note(heroId));
      expect(await run('update_section', { sectionId: heroId, fields: { heading: 'y' } })).not.toHaveProperty('note');
      const gallery = {
        heading: 'x',
        images: [
          { src, alt: 'A kiln' },
          { src, alt: ' ' },
        ],
      };
      expect(await run('add_section', { ref: 'studio', type: 'gallery', fields: gallery })).toHaveProperty('note');
      expect(await run('add_section', { ref: 'studio', type: 'text' })).not.toHaveProperty('note');
    }));
});

describe('look_at_picture', () => {
  it('uses the newest, a named or a library image, and charges the conversation', () =>
    withMedia(async (run, content) => {
      const wheel = await colouredPicture('#804020');
      const { asset } = await content.assets.add({ data: wheel, filename: 'wheel.png' }, origin);
      for (const input of [{}, { picture: 'blb_2', question: 'Is it blue?' }, { picture: 'Wheel.png' }]) {
        await run('look_at_picture', input);
      }
      expect(await run('look_at_picture', { picture: asset.url })).toEqual({
        picture: 'wheel.png',
        answer: 'It is wheel.png.',
      });
      expect(asked.map(({ filename, question }) => `${filename}: ${question}`)).toEqual([
        'Kiln.png: What does it show?',
        'image.png: Is it blue?',
        'wheel.png: What does it show?',
        'wheel.png: What does it show?',
      ]);
      expect(asked.map(({ data }) => data)).toEqual([pictures.get('blb_1'), pictures.get('blb_2'), wheel, wheel]);
      expect(asked[0]).toMatchObject({ mediaType: 'image/png', bill: { sessionId: 'ses_1' } });
    }));

  it('lists the candidates for none or several matches', () =>
    withMedia(async (run) => {
      await expect(run('look_at_picture', { picture: 'moon.png' })).rejects.toThrow('list_media finds them');
      await expect(run('look_at_picture', { picture: 'image.png' })).rejects.toThrow(InvalidInputError);
      await expect(run('look_at_picture', { picture: 'notes.md' })).rejects.toThrow(NotFoundError);
    }));
});

describe('set_design', () => {
  it('takes the colours of a picture', () =>
    withMedia(async (run, content) => {
      const { asset } = await content.assets.add({ data: pictures.get('blb_2')!, filename: 'sky.png' }, origin);
      await run('set_design', { parts: { theme: 'club', colors_of: asset.url } });
      const { draft } = await content.design();
      const { ink, paper } = await pictureColors(pictures.get('blb_2')!);
      expect(draft).toMatchObject({ fonts: 'bricolage-dm-sans', palette: { ink, paper } });
      await expect(run('set_design', { parts: { colors_of: '/about' } })).rejects.toThrow(InvalidInputError);
    }));
});

describe('delete_content of a picture', () => {
  it('shows what uses it first, deletes it by its id, and undo brings it back', () =>
    withMedia(async (run, content) => {
      const { id, url } = await run('add_media', { file: 'Kiln.png', alt: 'A kiln' });
      const sections = [{ type: 'image' as const, fields: { src: url!, alt: 'A kiln' } }];
      await content.create({ type: 'page', title: 'Studio', sections }, origin);
      const effect = await tool('delete_content').effect?.({ ref: id }, { content, origin });
      expect(effect).toMatchObject({
        summary: 'Moves the picture Kiln.png to the trash.',
        targets: [{ type: 'asset', id }],
        references: [{ kind: 'image', from: { title: 'Studio' }, isPublished: false }],
      });
      expect(effect?.warnings).toHaveLength(1);
      const { changeId } = await run('delete_content', { ref: id! });
      expect(await run('list_media')).toMatchObject({ total: 0 });
      await content.undo(String(changeId), origin);
      expect(await run('list_media')).toMatchObject({ total: 1 });
    }));
});
