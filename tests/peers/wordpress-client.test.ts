import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ForbiddenError, InvalidInputError, SiteUnavailableError } from '#server/core/errors';
import { createWordPressClient, testConnection } from '#server/wordpress/client/create-wordpress-client';
import { collect } from '#server/wordpress/client/collections';
import type { WordPressClient } from '#server/wordpress/client/wordpress-client';
import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';
import { colouredPicture } from '#tests/support/pictures';

const outgoing = createOutgoingFetch({ allowed: 'configured', redirects: 3 });
const SAMPLE_PAGE = 2;
const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`;

describe.skipIf(!hasWordPress)('the client of a real WordPress', () => {
  let site: WordPressServer;
  let client: WordPressClient;
  const connection = () => ({ url: site.url, username: site.username, password: site.password, fetch: outgoing });
  const published = (fields: object) => client.entries.create('page', { status: 'publish', ...fields });
  const seen = async (path: string) => (await fetch(`${site.url}${path}`)).text();

  beforeAll(async () => {
    site = await startWordPress();
    client = createWordPressClient(connection());
  });
  afterAll(() => site[Symbol.asyncDispose]());
  beforeEach(() => site.reset());

  it('reads back what it wrote, in any script', async () => {
    const fields = {
      title: 'Preise & „Größe“ < 日本 &amp; <b>',
      slug: 'grösse-日本',
      contentRaw: paragraph('Ä <strong>b</strong> 🎈 \\ \'"'),
      excerpt: 'Kurz & gut',
    };
    const made = await published(fields);
    expect(made).toMatchObject({ ...fields, slug: 'grosse-日本', status: 'publish', type: 'page', password: '' });
    expect(await client.entries.get('page', made.remoteId)).toEqual(made);
    expect(await seen(new URL(made.link).pathname)).toContain('Ä <strong>b</strong> 🎈');
  });

  it('has no precondition, renames a taken slug, accepts broken blocks, keeps earlier content', async () => {
    const first = await published({ title: 'One', contentRaw: paragraph('one') });
    await client.entries.update('page', first.remoteId, { contentRaw: paragraph('two') });
    const stale = await client.entries.update('page', first.remoteId, { title: 'Three' });
    expect(stale).toMatchObject({ title: 'Three', contentRaw: paragraph('two') });
    expect((await published({ title: 'Two', slug: 'one' })).slug).toBe('one-2');
    const broken = '<!-- wp:group --><div>never closed <!-- wp:made/up {"a":} /-->';
    expect((await published({ contentRaw: broken, title: 'Broken' })).contentRaw).toBe(broken);
    const [newest, older] = await client.entries.revisions('page', first.remoteId);
    expect([newest?.contentRaw, older?.contentRaw]).toEqual([paragraph('two'), paragraph('two')]);
  });

  it('never makes public what is private or has a password', async () => {
    await site.php(`wp_update_post(['ID' => ${SAMPLE_PAGE}, 'post_password' => 'pst']);
      wp_insert_post(['post_type' => 'page', 'post_title' => 'Mine', 'post_status' => 'private']);`);
    const [locked, , mine] = await collect(client.entries.list('page'));
    expect(locked).toMatchObject({ password: expect.stringMatching(/./), status: 'publish' });
    expect(mine).toMatchObject({ title: 'Mine', status: 'private' });
    const written = await client.entries.update('page', SAMPLE_PAGE, { contentRaw: paragraph('secret') });
    expect(written).toMatchObject({ password: expect.stringMatching(/./), contentRaw: paragraph('secret') });
    expect((await client.entries.update('page', mine!.remoteId, { title: 'Own' })).status).toBe('private');
    expect(await seen('/sample-page/')).not.toContain('secret');
  });

  it('reads more than a hundred, and only what has changed', async () => {
    await site.sql(`set @n = 0; insert into wp_posts (post_type, post_status, post_title, post_name, post_content,
      post_excerpt, to_ping, pinged, post_content_filtered, post_date, post_date_gmt, post_modified, post_modified_gmt)
      select 'post', elt(1 + @n % 3, 'publish', 'draft', 'trash'), concat('P', @n := @n + 1), concat('p', @n), '', '', '',
      '', '', '2020-01-01', '2020-01-01', '2020-01-01', '2020-01-01' from wp_options, (select 1 union select 2) twice limit 120`);
    const pages = [];
    for await (const page of client.entries.list('post')) pages.push(page);
    expect(pages.map(({ items, total }) => [items.length, total])).toEqual([
      [40, 121],
      [40, 121],
      [40, 121],
      [1, 121],
    ]);
    expect(await client.entries.heads('post')).toHaveLength(121);
    const { remoteId, modifiedGmt } = await client.entries.update('post', 1, { title: 'Changed' });
    const changed = await collect(client.entries.list('post', { modifiedSince: modifiedGmt }));
    expect(changed.map((entry) => entry.remoteId)).toEqual([remoteId]);
  });

  it('uploads, describes and fetches a picture', async () => {
    const bytes = await colouredPicture('#336699', { width: 400, height: 300 });
    const made = await client.media.upload(bytes, 'Größe; "x".png', 'image/png', { alt: 'Blau & "rund"' });
    expect(made).toMatchObject({ alt: 'Blau & "rund"', mediaType: 'image/png', width: 400, height: 300 });
    expect(made.filename).toMatch(/^gro.*x.*\.png$/i);
    expect(await client.media.update(made.remoteId, { alt: '' })).toMatchObject({ alt: '' });
    expect(Buffer.from(await client.media.download(made, 1_000_000)).equals(bytes)).toBe(true);
    expect((await collect(client.media.list())).map(({ remoteId }) => remoteId)).toEqual([made.remoteId]);
    expect(await published({ title: 'P', featuredMedia: made.remoteId })).toMatchObject({
      featuredMedia: made.remoteId,
    });
    await expect(client.media.upload(Buffer.from('<?php'), 'x.php', 'text/x-php', { alt: '' })).rejects.toBeInstanceOf(
      InvalidInputError,
    );
    await client.media.remove(made.remoteId);
    expect(await client.media.ids()).toEqual([]);
  });

  it('explains a wrong password, another user and another address', async () => {
    const wrong = createWordPressClient({ ...connection(), password: 'abcd EFGH 1234' });
    const refused: unknown = await wrong.entries.get('page', SAMPLE_PAGE).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SiteUnavailableError);
    expect(JSON.stringify([String(refused), refused])).toMatch(/application password/);
    expect(JSON.stringify([String(refused), refused])).not.toMatch(/abcd|YWJjZ/);
    expect(await testConnection(connection())).toMatchObject({
      ok: true,
      name: 'Peer',
      abilities: {
        version: expect.stringMatching(/^\d+\.\d+/),
        userName: 'editor',
        canPublish: true,
        canSetSettings: true,
        canSetNavigation: true,
      },
    });
    expect(await testConnection({ ...connection(), url: `${site.url}/wp-admin/edit.php?x=1` })).toMatchObject({
      ok: true,
    });

    const password =
      await site.php(`$id = wp_insert_user(['user_login' => 'author', 'user_pass' => 'x', 'role' => 'author']);
      echo WP_Application_Passwords::create_new_application_password($id, ['name' => 'x'])[0];`);
    const author = { ...connection(), username: 'author', password };
    expect(await testConnection(author)).toMatchObject({
      ok: true,
      abilities: {
        canEditPages: false,
        canPublish: false,
        remarks: expect.arrayContaining([expect.stringContaining('cannot publish pages')]) as string[],
      },
    });
    await expect(
      createWordPressClient(author).entries.update('page', SAMPLE_PAGE, { title: 'Mine' }),
    ).rejects.toBeInstanceOf(ForbiddenError);
    await site.php(`update_option('permalink_structure', '');`);
    expect(await createWordPressClient(connection()).entries.get('page', SAMPLE_PAGE)).toMatchObject({
      slug: 'sample-page',
    });
  });
});
