import { expect, it } from 'vitest';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { createContentRepository } from '#server/site/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';

const by = { actor: 'user' } as const;

it('a redirect to a missing page is saved, and reported at its own save only', async () => {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db));
  const { entry } = await content.create({ type: 'page', title: 'Offers' }, by);
  await content.create({ type: 'page', title: 'Soon' }, by);
  await content.publish(entry.id, by);
  const redirects = ['/a /offers', '/b /nowhere', '/c /soon', '/d https://shop.example', '/e /blog', '/f /flyer.pdf'];
  const saved = await content.updateSettings({ redirects: redirects.join('\n') }, by);
  expect(saved.notes).toEqual([
    'The redirect from /b to /nowhere leads visitors nowhere: there is no such page.',
    'The redirect from /c to /soon leads visitors nowhere: "Soon" is a draft.',
  ]);
  expect((await content.settings()).redirects).toBe(redirects.join('\n'));
  const more = [...redirects, '/g /offers'].join('\n');
  expect(await content.updateSettings({ redirects: more }, by)).not.toHaveProperty('notes');
  expect(await content.updateSettings({ tagline: 'Bread' }, by)).not.toHaveProperty('notes');
});

it('a new menu item with a missing target is saved, and reported', async () => {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db));
  await content.create({ type: 'page', title: 'Soon' }, by);
  const items = [{ label: 'Blog', href: '/blog', children: [{ label: 'Soon', href: '/soon' }] }];
  const told = ['Soon (/soon) leads visitors nowhere: "Soon" is a draft.'];
  expect((await content.setNavigation(items, by, { dryRun: true })).notes).toEqual(told);
  expect((await content.setNavigation(items, by)).notes).toEqual(told);
  const more = [...items, { label: 'Shop', href: 'https://shop.example' }];
  expect(await content.setNavigation(more, by)).not.toHaveProperty('notes');
});

it('a link in the footer with a missing target is reported when it is saved, and when it is published', async () => {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db));
  const columns = [{ title: '', links: [{ label: 'Soon', href: '/soon' }] }];
  const told = ['Soon (/soon) leads visitors nowhere: there is no such page.'];
  expect((await content.updateDesign({ footer: { columns } }, by)).notes).toEqual(told);
  expect(await content.updateDesign({ corners: 'round' }, by)).not.toHaveProperty('notes');
  expect((await content.updateDesign({}, by, { dryRun: true, isPublished: true })).notes).toEqual(told);
  expect((await content.updateDesign({}, by, { isPublished: true })).notes).toEqual(told);
});
