import { describe, expect } from 'vitest';
import { SeenRevisions } from '#server/core/site/write-checks/seen-revisions';
import { DEFAULT_DESIGN } from '#server/core/site/design/design';
import { ConflictError, InvalidInputError, UnsupportedFileError } from '#server/core/errors';
import { colouredPicture } from '#tests/support/pictures';
import type { Contract } from '#tests/support/content-backend/contract';
import { bytesOf, editor, other, seed, user } from '#tests/support/content-backend/material';

export function describeSite({ name, promise }: Contract): void {
  describe(`${name}: the site`, () => {
    promise('has a navigation', ['navigation'], async (content) => {
      expect(await content.navigation()).toEqual([]);
      const items = [{ label: 'Home', href: '/', children: [{ label: 'A', href: '/a' }] }];
      const change = await content.setNavigation(items, editor);
      expect(change).toMatchObject({ targetType: 'navigation', targetId: 'navigation', origin: editor });
      expect(await content.navigation()).toEqual(items);
      const evil = content.setNavigation([{ label: 'X', href: 'javascript:alert(1)' }], editor);
      await expect(evil).rejects.toThrow(InvalidInputError);
    });

    promise('has settings', ['settings'], async (content) => {
      const before = await content.settings();
      await content.updateSettings({ siteName: 'Kiln', accentColor: '#123456' }, editor);
      expect(await content.settings()).toEqual({ ...before, siteName: 'Kiln', accentColor: '#123456' });
      const revision = await content.revisionOf('settings');
      const stale = content.updateSettings({ siteName: 'Oven' }, editor, { ifRevision: revision - 1 });
      await expect(stale).rejects.toThrow(ConflictError);
      const change = await content.updateSettings({ siteName: 'Oven' }, editor, { ifRevision: revision });
      expect([change.revision, await content.revisionOf('settings')]).toEqual([revision + 1, revision + 1]);
      await expect(content.updateSettings({}, editor)).rejects.toThrow(InvalidInputError);
      await expect(content.updateSettings({ accentColor: 'red' }, editor)).rejects.toThrow(/accentColor/);
      await expect(content.updateSettings({ language: 'de_DE' }, editor)).rejects.toThrow(/language/);
      const nowhere = { homeSlug: 'nowhere' };
      await expect(content.updateSettings(nowhere, editor)).rejects.toThrow('There is no page "nowhere"');
      await expect(content.updateSettings(nowhere, editor, { dryRun: true })).rejects.toThrow(InvalidInputError);
    });

    promise('keeps a setting that another author changed since it was seen', ['settings'], async (content) => {
      const { revision } = await content.updateSettings({ tagline: 'Seen', siteName: 'Kiln' }, other);
      const seen = new SeenRevisions({ settings: revision });
      const theirs = await content.updateSettings({ tagline: 'Theirs' }, other);
      const refused = content.updateSettings({ tagline: 'Mine', siteName: 'Oven' }, editor, { seen });
      const changed = [{ sectionId: null, field: 'tagline', value: 'Theirs', by: { actor: other.actor } }];
      const details = { targetId: 'settings', revision: theirs.revision, changed, writers: [] };
      await expect(refused).rejects.toMatchObject({ code: 'conflict', details });
      await content.updateSettings({ siteName: 'Oven' }, editor, { seen });
      expect(await content.settings()).toMatchObject({ tagline: 'Theirs', siteName: 'Oven' });
    });

    promise('has a design with a draft, which is undone part by part', ['design', 'undo'], async (content) => {
      const untouched = { draft: DEFAULT_DESIGN, published: null, hasUnpublishedChanges: false, revision: 0 };
      expect(await content.design()).toEqual(untouched);
      const colors = await content.updateDesign({ palette: { brand: '#1d4ed8' } }, editor, { ifRevision: 0 });
      expect(colors).toMatchObject({
        targetType: 'design',
        action: 'update',
        summary: 'Changed the colours of the design',
      });
      const { id } = await content.updateDesign({ fonts: 'manrope', header: { kind: 'band' } }, editor);
      expect((await content.design()).published).toBeNull();
      const publication = await content.updateDesign({}, editor, { isPublished: true });
      const { draft, published } = await content.design();
      expect(published).toEqual(draft);
      expect(draft).toMatchObject({ palette: { brand: '#1d4ed8' }, fonts: 'manrope', header: { kind: 'band' } });
      await expect(content.updateDesign({}, editor, { isPublished: true })).rejects.toThrow(/already/);
      await content.undo(colors.id, editor);
      const undone = await content.design();
      expect(undone.draft).toEqual({ ...draft, palette: DEFAULT_DESIGN.palette });
      expect(undone.published).toEqual(published);
      await content.undo(publication.id, editor);
      await content.undo(id, editor);
      expect(await content.design()).toMatchObject({ draft: DEFAULT_DESIGN, published: null });
      const pale = content.updateDesign({ palette: { ink: '#b0b0b0' } }, editor);
      await expect(pale).rejects.toThrow(/The nearest colour that has it is #[0-9a-f]{6}/);
    });

    promise('has standing instructions', [], async (content) => {
      expect(await content.standingInstructions()).toMatchObject({ voice: '', glossary: [], rules: [], revision: 0 });
      const instructions = {
        voice: 'Plain.',
        glossary: [{ term: 'kiln', meaning: 'oven' }],
        rules: ['Never use blue.'],
      };
      const change = await content.setStandingInstructions(instructions, editor, { ifRevision: 0 });
      expect(change.targetType).toBe('standing-instructions');
      expect(await content.standingInstructions()).toMatchObject({ ...instructions, revision: 1 });
      const stale = content.setStandingInstructions(instructions, editor, { ifRevision: 0 });
      await expect(stale).rejects.toThrow(ConflictError);
    });
  });

  describe(`${name}: pictures`, () => {
    promise('are added, described, replaced, trashed and brought back', ['assets'], async (content) => {
      const [data, another] = await Promise.all([colouredPicture('#b5651d'), colouredPicture('#2b5bd7')]);
      const { asset, change } = await content.assets.add({ data, filename: 'kiln.png' }, editor);
      expect(change).toMatchObject({ targetType: 'asset', targetId: asset.id, action: 'create', origin: editor });
      expect(asset).toMatchObject({ mediaType: 'image/png', alt: '', size: data.length });
      expect(await bytesOf(content, asset.id)).toEqual(new Uint8Array(data));
      expect((await content.assets.list({ missingAlt: true })).items.map(({ id }) => id)).toEqual([asset.id]);
      expect((await content.assets.list({ except: [asset.id] })).items.map(({ id }) => id)).not.toContain(asset.id);
      await content.assets.update(asset.id, { alt: 'A kiln', tags: ['Studio'] }, editor);
      const replaced = (await content.assets.replace(asset.id, { data: another, filename: 'kiln.png' }, editor)).asset;
      expect(replaced).toMatchObject({ id: asset.id, alt: 'A kiln', tags: ['Studio'] });
      expect(await bytesOf(content, asset.id)).toEqual(new Uint8Array(another));
      await content.assets.trash(asset.id, editor);
      expect(await content.assets.list({})).toMatchObject({ items: [], total: 0 });
      expect((await content.assets.list({ state: 'trashed' })).items).toHaveLength(1);
      expect((await content.assets.restore(asset.id, editor)).asset).toMatchObject({ alt: 'A kiln', deletedAt: null });
      const words = content.assets.add({ data: new TextEncoder().encode('words'), filename: 'a.png' }, editor);
      await expect(words).rejects.toThrow(UnsupportedFileError);
    });

    promise('are as they were once a session is undone', ['assets', 'undo'], async (content) => {
      const [data, another] = await Promise.all([colouredPicture('#b5651d'), colouredPicture('#2b5bd7')]);
      const { asset } = await content.assets.add({ data, filename: 'kiln.png' }, seed);
      await content.assets.update(asset.id, { alt: 'Wrong' }, editor);
      await content.assets.replace(asset.id, { data: another, filename: 'blue.png' }, editor);
      await content.assets.update(asset.id, { tags: ['Theirs'] }, other);
      const added = await content.assets.add({ data: another, filename: 'new.png' }, editor);
      const { conflicts } = await content.undoAll({ sessionId: 'ses_contract' }, user);
      expect(conflicts).toEqual([]);
      expect(await content.assets.get(asset.id)).toMatchObject({ alt: '', filename: 'kiln.png', tags: ['Theirs'] });
      expect(await bytesOf(content, asset.id)).toEqual(new Uint8Array(data));
      expect((await content.assets.get(added.asset.id)).deletedAt).not.toBeNull();
    });
  });
}
