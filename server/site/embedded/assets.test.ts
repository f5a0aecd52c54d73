import { describe, expect, it } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import type { Asset } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import { InvalidInputError, NotFoundError, UnsupportedFileError } from '#server/core/errors';
import { preparePicture } from '#server/site/media/prepare-picture';
import { createContentRepository } from '#server/site/store/content-repository';
import type { Database } from '#server/platform/database/database';
import { colouredPicture } from '#tests/support/pictures';
import { createTestDatabase } from '#tests/support/test-database';
import { readSiteAt } from '#server/site/public/read-site';

const editor: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1', turnId: 'trn_1', toolCallId: 'call_1' };
const other: ChangeOrigin = { actor: 'api', sessionId: 'ses_2' };
const ochre = await colouredPicture('#b5651d');
/** Of another size, too. */
const blue = await colouredPicture('#2b5bd7', { width: 160, height: 90 });
const green = await colouredPicture('#3f7d3a');

async function withLibrary(
  test: (content: ContentBackend, db: Database) => Promise<void>,
  options: { readonly maxPictures?: number } = {},
): Promise<void> {
  const db = await createTestDatabase();
  try {
    let time = 1_000;
    await test(
      new EmbeddedSite(createContentRepository(db), { now: () => (time += 1), preparePicture, ...options }),
      db,
    );
  } finally {
    await db.close();
  }
}

const kiln = { data: ochre, filename: 'Kiln at dawn.PNG' };
const add = async (content: ContentBackend, details: object = {}, origin = editor): Promise<Asset> =>
  (await content.assets.add({ ...kiln, ...details }, origin)).asset;
/** What undoing must bring back: everything but the count of writes and their time. */
const stateOf = async (content: ContentBackend, id: string) => {
  const { revision: _revision, updatedAt: _updatedAt, ...state } = await content.assets.get(id);
  return state;
};

describe('a picture of the media library', () => {
  it('is added with a new address, its size and a thumbnail, as one change of the journal', () =>
    withLibrary(async (content) => {
      const { asset, change } = await content.assets.add(
        { ...kiln, alt: ' A kiln ', tags: ['Studio', 'Studio'] },
        editor,
      );
      expect(asset).toMatchObject({
        id: expect.stringMatching(/^ast_[a-z0-9]{6}$/),
        url: `/media/${asset.id}/kiln-at-dawn.png`,
        thumbnailUrl: `/media/${asset.id}/kiln-at-dawn.png?size=thumb`,
        filename: 'Kiln at dawn.PNG',
        mediaType: 'image/png',
        size: ochre.length,
        width: 120,
        height: 80,
        alt: 'A kiln',
        tags: ['Studio'],
        revision: 1,
      });
      expect(change).toMatchObject({
        targetType: 'asset',
        targetId: asset.id,
        action: 'create',
        summary: 'Added the picture "Kiln at dawn.PNG"',
        origin: editor,
      });
      expect(await content.changes({ targetId: asset.id })).toEqual([change]);
      const full = await content.assets.read(asset.id, 'full');
      expect(full).toMatchObject({ asset, mediaType: 'image/png' });
      expect(Buffer.compare(full.data, ochre)).toBe(0);
      expect(await content.assets.read(asset.id, 'thumb')).toMatchObject({ mediaType: 'image/webp' });
    }));

  it('is not added to a library that holds as many as it may, those in the trash among them', () =>
    withLibrary(
      async (content) => {
        await content.assets.trash((await add(content)).id, editor);
        await add(content, { data: green });
        const refused = { code: 'conflict', details: { limit: 2 } };
        await expect(add(content, { data: blue })).rejects.toMatchObject(refused);
      },
      { maxPictures: 2 },
    ));

  it('is named after its content type, not its given name', () =>
    withLibrary(async (content) => {
      const names = ['evil.html', 'photo.jpg', 'naïve', 'Ofen.png'];
      const assets = await Promise.all(names.map((filename) => add(content, { filename })));
      expect(assets.map(({ filename }) => filename)).toEqual(['evil.png', 'photo.png', 'naïve.png', 'Ofen.png']);
      expect((await add(content, { filename: '窯.png' })).url).toMatch(/\/picture\.png$/);
      expect((await add(content, { filename: '../../x.png' })).filename).toBe('x.png');
      expect((await add(content, { filename: '' })).filename).toBe('picture.png');
      await expect(content.assets.update(assets[0]!.id, { filename: '../x' }, editor)).rejects.toThrow(/slashes/);
      await expect(add(content, { data: Buffer.from('<svg onload="x"/>') })).rejects.toThrow(UnsupportedFileError);
      await expect(add(content, { alt: 'x'.repeat(301) })).rejects.toThrow(/alt: must have at most 300/);
    }));

  it('is found by words, by tag and for want of a description, newest first, in pages', () =>
    withLibrary(async (content) => {
      await add(content, { filename: 'kiln.png', alt: 'A kiln at dawn', tags: ['Studio'] });
      await add(content, { filename: 'mug.png', tags: ['shop'] });
      await add(content, { filename: 'bowl.png', alt: 'A bowl', tags: ['shop'] });
      const names = async (query: object) => (await content.assets.list(query)).items.map(({ filename }) => filename);
      expect(await names({})).toEqual(['bowl.png', 'mug.png', 'kiln.png']);
      expect(await names({ text: 'DAWN kiln' })).toEqual(['kiln.png']);
      expect(await names({ text: 'studio' })).toEqual(['kiln.png']);
      expect(await names({ text: 'no%such' })).toEqual([]);
      expect(await names({ tag: 'SHOP' })).toEqual(['bowl.png', 'mug.png']);
      expect(await names({ missingAlt: true })).toEqual(['mug.png']);
      const first = await content.assets.list({ limit: 2 });
      expect(first).toMatchObject({ total: 3 });
      const second = await content.assets.list({ limit: 2, cursor: first.nextCursor! });
      expect(second.items.map(({ filename }) => filename)).toEqual(['kiln.png']);
      expect(second.nextCursor).toBeNull();
    }));
});

describe('undo', () => {
  it('reverts each kind of write, newest first, down to nothing', () =>
    withLibrary(async (content) => {
      const { id } = await add(content, { alt: 'A kiln' });
      const states = [await stateOf(content, id)];
      const writes = [
        () => content.assets.update(id, { alt: 'The kiln', tags: ['x'] }, editor),
        () => content.assets.replace(id, { data: blue, filename: 'b.png' }, editor),
        () => content.assets.update(id, { filename: 'Ofen.png' }, editor),
        () => content.assets.trash(id, editor),
        () => content.assets.restore(id, editor),
      ];
      for (const write of writes) {
        await write();
        states.push(await stateOf(content, id));
      }
      expect(states[4]).toMatchObject({ thumbnailUrl: `/api/content/media/${id}/file?size=thumb` });
      await expect(content.assets.update('ast_none', { alt: 'x' }, editor)).rejects.toThrow(NotFoundError);
      for (const state of states.toReversed().slice(1)) {
        await content.undo(undefined, editor);
        expect(await stateOf(content, id)).toEqual(state);
      }
      expect(Buffer.compare((await content.assets.read(id, 'full')).data, ochre)).toBe(0);
      const undo = await content.undo(undefined, editor);
      expect(undo.summary).toBe('Undid: Added the picture "Kiln at dawn.PNG"');
      expect((await content.assets.list({})).items).toEqual([]);
      const redo = await content.undo(undo.id, editor);
      expect(redo.summary).toBe('Brought back: Added the picture "Kiln at dawn.PNG"');
      expect(await stateOf(content, id)).toEqual(states[0]);
    }));

  it('shows a former site with the former bytes of replaced or deleted pictures', () =>
    withLibrary(async (content) => {
      const { url, id, version } = await add(content);
      const sections = [{ type: 'image', fields: { src: url, alt: 'A kiln' } }] as const;
      const { change: first } = await content.create({ type: 'page', title: 'Kiln', image: url, sections }, editor);
      const shownAt = async (change: string) => JSON.stringify((await readSiteAt(content, ['kiln'], change)).page);
      expect(await shownAt(first.id)).not.toContain('version=');

      const second = await content.assets.replace(id, { data: blue, filename: 'b.png' }, editor);
      expect((await shownAt(first.id)).split(`"${url}?version=${version}"`)).toHaveLength(3);
      expect(await shownAt(second.change.id)).not.toContain('version=');
      await content.assets.trash(id, editor);
      expect(await shownAt(second.change.id)).toContain(`"${url}?version=${second.asset.version}"`);

      expect(Buffer.compare((await content.assets.read(id, 'full', version)).data, ochre)).toBe(0);
      expect(Buffer.compare((await content.assets.read(id, 'full')).data, blue)).toBe(0);
      expect(await content.assets.get(id, version)).toMatchObject({ version, width: 120 });
      await expect(content.assets.get(id, '0123456789abcdef')).rejects.toThrow(NotFoundError);
    }));

  it('keeps changes of others to other fields, and refuses to lose changes to the same field', () =>
    withLibrary(async (content) => {
      const { id } = await add(content);
      const mine = await content.assets.update(id, { alt: 'Mine' }, editor);
      await content.assets.replace(id, { data: blue, filename: 'b.png' }, other);
      await content.assets.update(id, { tags: ['theirs'] }, other);
      await content.undo(mine.change.id, editor);
      expect(await content.assets.get(id)).toMatchObject({ alt: '', tags: ['theirs'] });
      expect(Buffer.compare((await content.assets.read(id, 'full')).data, blue)).toBe(0);
      const again = await content.assets.update(id, { alt: 'Mine' }, editor);
      const theirs = await content.assets.update(id, { alt: 'Theirs' }, other);
      await expect(content.undo(again.change.id, editor)).rejects.toThrow(theirs.change.id);
      const replaced = await content.assets.replace(id, { data: green, filename: 'g.png' }, editor);
      await content.assets.trash(id, other);
      await expect(content.undo(replaced.change.id, editor)).rejects.toThrow(/Deleted the picture/);
    }));

  it('does not remove a picture that another person has changed', () =>
    withLibrary(async (content) => {
      const { asset, change } = await content.assets.add(kiln, editor);
      await content.assets.update(asset.id, { alt: 'Theirs' }, other);
      await expect(content.undo(change.id, editor)).rejects.toThrow(/Later changes would be lost/);
    }));
});

it('without anything to look at pictures with there is no library to add to', async () => {
  const db = await createTestDatabase();
  try {
    const content = new EmbeddedSite(createContentRepository(db));
    await expect(async () => content.assets.add(kiln, editor)).rejects.toThrow(InvalidInputError);
    expect((await content.assets.list({})).items).toEqual([]);
  } finally {
    await db.close();
  }
});
