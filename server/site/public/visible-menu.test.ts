import { expect, it } from 'vitest';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { visibleMenu } from '#server/site/public/visible-menu';
import { createContentRepository } from '#server/site/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';

const by = { actor: 'user' } as const;

it('the menu shows visitors pages that are drafts or in the trash', async () => {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db));
  const create = async (title: string) => (await content.create({ type: 'page', title }, by)).entry.id;
  await create('Home');
  const [classes, prices, team] = [await create('Classes'), await create('Prices'), await create('Team')];
  await create('Soon');
  for (const id of [classes, prices]) await content.publish(id, by);
  const item = (label: string) => ({ label, href: `/${label.toLowerCase()}` });
  const other = { label: 'Program behind the same proxy', href: '/shop' };
  const menu = [item('Classes'), { ...item('Prices'), children: [item('Team'), other] }, item('Soon'), item('Blog')];
  await content.setNavigation(menu, by);
  const seen = () => visibleMenu(content, 'published');

  expect(await seen()).toEqual([item('Classes'), { ...item('Prices'), children: [other] }, item('Blog')]);
  expect(await visibleMenu(content, 'draft')).toEqual(menu);
  await content.trash(prices, by);
  await content.trash(team, by);
  expect(await seen()).toEqual([item('Classes'), other, item('Blog')]);
  expect(await visibleMenu(content, 'draft')).toEqual([item('Classes'), other, item('Soon'), item('Blog')]);
  await content.restore(prices, by);
  expect(await seen()).toEqual([item('Classes'), { ...item('Prices'), children: [other] }, item('Blog')]);
  expect(await content.navigation()).toEqual(menu);

  // A post that had the same slug as another program's address.
  const post = await content.create({ type: 'post', title: 'Shop' }, by);
  await content.trash(post.entry.id, by);
  expect(await content.hiddenMenuItems('published')).toEqual([
    { href: '/team', reason: 'trashed' },
    { href: '/soon', reason: 'draft' },
  ]);
});
