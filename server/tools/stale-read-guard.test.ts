import { expect, test } from 'vitest';
import { SeenRevisions } from '#server/core/site/write-checks/seen-revisions';
import { GuardedSite } from '#server/tools/stale-read-guard';
import type { PatchOp } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import { ConflictError } from '#server/core/errors';
import type { Writer } from '#server/core/site/presence';
import { startTestServices } from '#tests/support/test-services';

const BY_HAND: ChangeOrigin = { actor: 'user' };
const OURS: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_ours' };

const it = test
  // Vitest reads the names of the fixtures from this pattern.
  // oxlint-disable-next-line no-empty-pattern
  .extend('site', async ({}, { onCleanup }) => {
  const services = await startTestServices();
  onCleanup(() => services[Symbol.asyncDispose]());
  const { content } = services.builtIn;
  const sections = [
    { type: 'hero', fields: { heading: 'One' } },
    { type: 'text', fields: { body: 'Two' } },
  ] as const;
  const { entry } = await content.create({ type: 'page', title: 'Home', slug: 'home', sections }, BY_HAND);
  const [hero, text] = entry.draft.sections.map(({ id }) => id);
  const sights = new SeenRevisions({ [entry.id]: entry.revision });
  const note = (key: string, revision: number) => sights.note(key, revision);
  const guarded = new GuardedSite(content, { seen: sights, note });
  const heading = (value: string): PatchOp => ({ op: 'set-section', sectionId: hero!, fields: { heading: value } });
  const title = (value: string): PatchOp => ({ op: 'set', field: 'title', value });
  const read = async () => (await content.get(entry.id)).draft;
  return { content, guarded, sights, id: entry.id, hero: hero!, text: text!, heading, title, read };
});

it('refuses a write to a section that another person changed, once, with its current state', async ({ site }) => {
  const { content, guarded, id, heading, read } = site;
  await content.patch(id, [heading('By hand')], BY_HAND);
  await expect(guarded.patch(id, [heading('Mine')], OURS)).rejects.toThrow(/It reads now: .*By hand/);
  expect((await read()).sections[0]?.fields['heading']).toBe('By hand');
  await guarded.patch(id, [heading('Both')], OURS);
  expect((await read()).sections[0]?.fields['heading']).toBe('Both');
});

it('refuses to remove such a section, and to set such a detail', async ({ site }) => {
  const { content, guarded, id, hero, heading, title } = site;
  await content.patch(id, [heading('By hand'), title('By hand')], BY_HAND);
  await expect(guarded.patch(id, [{ op: 'remove-section', sectionId: hero }], OURS)).rejects.toThrow(ConflictError);
  await expect(guarded.patch(id, [title('Mine')], OURS)).rejects.toThrow(/changed title of/);
});

it('merges other sections and details, moves and new sections', async ({ site }) => {
  const { content, guarded, id, hero, text, heading, title, read } = site;
  await content.patch(id, [heading('By hand')], BY_HAND);
  await guarded.patch(id, [{ op: 'set-section', sectionId: text, fields: { body: 'Mine' } }, title('Mine')], OURS);
  await guarded.patch(id, [{ op: 'move-section', sectionId: hero, index: 1 }], OURS);
  expect((await read()).sections.map(({ fields }) => fields['heading'] ?? fields['body'])).toEqual(['Mine', 'By hand']);
  expect((await read()).title).toBe('Mine');
});

it('does not take its own changes for those of others', async ({ site }) => {
  const { content, guarded, id, heading, title, read } = site;
  await guarded.patch(id, [heading('First')], OURS);
  await content.patch(id, [title('By hand')], BY_HAND);
  await guarded.patch(id, [heading('Second')], OURS);
  expect((await read()).sections[0]?.fields['heading']).toBe('Second');
});

it('ignores changes that others have reverted', async ({ site }) => {
  const { content, guarded, id, heading } = site;
  await content.patch(id, [heading('By hand')], BY_HAND);
  await content.patch(id, [heading('One')], BY_HAND);
  await expect(guarded.patch(id, [heading('Mine')], OURS)).resolves.toBeDefined();
});

it('guards nothing that the model has not seen', async ({ site }) => {
  const { content, id, heading, read } = site;
  await content.patch(id, [heading('By hand')], BY_HAND);
  await new GuardedSite(content, { seen: new SeenRevisions() }).patch(id, [heading('Mine')], OURS);
  expect((await read()).sections[0]?.fields['heading']).toBe('Mine');
});

it('refuses a change of text that was typed further, although the seen state is no version', async ({ site }) => {
  const { content, sights, guarded, id, hero, heading, read } = site;
  const first = await content.patch(id, [heading('By h')], BY_HAND);
  sights.note(hero, first.entry.revision);
  const second = await content.patch(id, [heading('By hand')], BY_HAND, { joins: first.change.id });
  expect(second.change.id).toBe(first.change.id);
  await expect(content.version(id, first.entry.revision)).rejects.toThrow(/no revision/);
  await expect(guarded.patch(id, [heading('Mine')], OURS)).rejects.toThrow(/It reads now: .*By hand/);
  expect((await read()).sections[0]?.fields['heading']).toBe('By hand');
});

it('protects a field that a person is typing in, and no other', async ({ site }) => {
  const { content, sights, id, hero, text, heading, title, read } = site;
  const writers: Writer[] = [{ name: 'Ada', sectionId: hero, field: 'heading' }];
  const note = (key: string, revision: number) => sights.note(key, revision);
  const guarded = new GuardedSite(content, { seen: sights, note, writersIn: async () => writers });
  const refused = /Ada is writing there now, in sec_\w+ › heading of "Home".*One/;
  await expect(guarded.patch(id, [heading('Mine'), title('Mine')], OURS)).rejects.toThrow(refused);
  await expect(guarded.patch(id, [{ op: 'remove-section', sectionId: hero }], OURS)).rejects.toThrow(/Ada is writing/);
  await expect(guarded.patchAll([{ entryId: id, operations: [heading('Mine')] }], OURS)).rejects.toThrow(refused);
  expect((await read()).title).toBe('Home');
  const beside: PatchOp = { op: 'set-section', sectionId: hero, fields: { subheading: 'Beside it' } };
  await guarded.patch(id, [beside, title('Mine')], OURS);
  await guarded.patch(id, [{ op: 'set-section', sectionId: text, fields: { body: 'Mine' } }], OURS);
  expect((await read()).sections.map(({ fields }) => fields)).toMatchObject([
    { heading: 'One', subheading: 'Beside it' },
    { body: 'Mine' },
  ]);
  writers.length = 0;
  await guarded.patch(id, [heading('Mine')], OURS);
  expect((await read()).sections[0]?.fields['heading']).toBe('Mine');
});

it('does not undo a change that a person is overwriting', async ({ site }) => {
  const { content, sights, id, hero, heading, read } = site;
  const { change } = await content.patch(id, [heading('Mine')], OURS);
  const writers: Writer[] = [{ name: null, sectionId: hero, field: 'heading' }];
  const guarded = new GuardedSite(content, { seen: sights, writersIn: async () => writers });
  await expect(guarded.undo(undefined, OURS)).rejects.toThrow(/The user is writing there now/);
  await expect(guarded.undo(change.id, OURS)).rejects.toThrow(/The user is writing there now/);
  expect((await read()).sections[0]?.fields['heading']).toBe('Mine');
});

it('refuses to replace a menu that another person changed since it was read', async ({ site }) => {
  const { content, guarded, sights } = site;
  const menu = (label: string) => [{ label, href: '/' }];
  const { revision } = await content.setNavigation(menu('First'), BY_HAND);
  sights.note('navigation', revision);
  await content.setNavigation(menu('By hand'), BY_HAND);
  await expect(guarded.setNavigation(menu('Mine'), OURS)).rejects.toThrow(/By hand/);
  await guarded.setNavigation(menu('Mine'), OURS);
  expect(await content.navigation()).toEqual(menu('Mine'));
});

it('refuses to change a setting that another person changed since, and merges the others', async ({ site }) => {
  const { content, guarded, sights } = site;
  const { revision } = await content.updateSettings({ tagline: 'First' }, BY_HAND);
  sights.note('settings', revision);
  await content.updateSettings({ tagline: 'By hand' }, BY_HAND);
  await guarded.updateSettings({ footerText: 'Mine' }, OURS, { dryRun: true });
  await expect(guarded.updateSettings({ tagline: 'Mine', footerText: 'Mine' }, OURS)).rejects.toThrow(
    /changed tagline of the settings.*By hand/,
  );
  expect(await content.settings()).toMatchObject({ tagline: 'By hand' });
  await guarded.updateSettings({ tagline: 'Both', footerText: 'Mine' }, OURS);
  await content.updateSettings({ tagline: 'By hand again' }, BY_HAND);
  await guarded.updateSettings({ footerText: 'Mine too' }, OURS);
  expect(await content.settings()).toMatchObject({ tagline: 'By hand again', footerText: 'Mine too' });
});

it('still refuses an outdated setting after it wrote or was refused another one', async ({ site }) => {
  const { content, guarded, sights } = site;
  const { revision } = await content.updateSettings({ siteName: 'First', tagline: 'First' }, BY_HAND);
  sights.note('settings', revision);
  await content.updateSettings({ siteName: 'By hand', tagline: 'By hand' }, BY_HAND);
  await guarded.updateSettings({ footerText: 'Mine' }, OURS);
  await expect(guarded.updateSettings({ tagline: 'Mine' }, OURS)).rejects.toThrow(/changed tagline of/);
  await guarded.updateSettings({ tagline: 'Mine' }, OURS);
  await expect(guarded.updateSettings({ siteName: 'Mine' }, OURS)).rejects.toThrow(/changed siteName of.*By hand/);
  expect(await content.settings()).toMatchObject({ siteName: 'By hand', tagline: 'Mine', footerText: 'Mine' });
});

it('knows the settings that its own write showed, although it has never read them', async ({ site }) => {
  const { content, guarded } = site;
  await guarded.updateSettings({ footerText: 'Mine' }, OURS);
  await guarded.updateSettings({ tagline: 'Mine' }, OURS);
  await content.updateSettings({ siteName: 'By hand' }, BY_HAND);
  await expect(guarded.updateSettings({ siteName: 'Mine' }, OURS)).rejects.toThrow(/changed siteName of.*By hand/);
});
