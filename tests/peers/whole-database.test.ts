import { and, like, notLike } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrangements } from '#tests/peers/client-tasks/arrangements';
import { words } from '#tests/peers/client-tasks/blocks';
import { moreKinds } from '#tests/peers/client-tasks/more-kinds';
import { blockMenus, classicMenus } from '#tests/peers/client-tasks/menus';
import { remoteLinks, remotePast } from '#server/platform/database/schema/wordpress';
import { plainEdits } from '#tests/peers/client-tasks/plain-edits';
import { states } from '#tests/peers/client-tasks/states';
import { type ClientTask, clientSite } from '#tests/peers/support/client-site';
import { mirrorOf, type MirroredSite } from '#tests/peers/support/mirrored-site';
import { asExpected, type DatabaseDump, differences, dumpDatabase } from '#tests/peers/support/whole-database';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';

/* After each task only what was asked differs in the whole database, and after its undo nothing but what is listed. */

const tasks: Readonly<Record<string, readonly ClientTask[]>> = {
  'plain edits': plainEdits,
  'one word': words,
  arrangements,
  states,
  'groups, fields, blocks and other kinds': moreKinds,
  'a menu of blocks': blockMenus,
  'a menu of a classic theme': classicMenus,
};

/** WordPress writes something down when a theme first shows a page. */
const showFirst = ({ url }: WordPressServer) => fetch(`${url}/about/`).then((response) => response.text());

describe.skipIf(!hasWordPress)('a WordPress made like a client’s', () => {
  let wordpress: WordPressServer;
  let mirror: MirroredSite;
  /** The state since the last undo; null: another user has changed something. */
  let dumped: DatabaseDump | null = null;
  beforeAll(async () => {
    wordpress = await startWordPress({ asClient: true });
    await showFirst(wordpress);
    mirror = await mirrorOf(wordpress, { freshForMs: 0 });
  });
  afterAll(async () => {
    await mirror?.[Symbol.asyncDispose]();
    await wordpress?.[Symbol.asyncDispose]();
  });

  for (const [group, list] of Object.entries(tasks)) {
    describe(group, () => {
      beforeAll(async () => {
        if (list !== classicMenus) return;
        dumped = null;
        await wordpress.php("switch_theme('peer-classic');");
        await showFirst(wordpress);
        await mirror.pull();
      });
      it.for(list.map((task) => [task.name, task] as const))('%s', async ([name, task]) => {
        const by = { actor: 'assistant', sessionId: `ses_${name.replaceAll(/\W+/g, '_')}`, turnId: 'trn_1' } as const;
        const before = dumped ?? (await dumpDatabase(wordpress));
        dumped = null;
        await task.run(clientSite(wordpress, mirror, by));
        const done = await dumpDatabase(wordpress);
        const { undone } = await mirror.content.undoAll({ sessionId: by.sessionId }, { ...by, actor: 'user' });
        dumped = await dumpDatabase(wordpress);
        const undo = differences(before, dumped);
        // `{{url}}` stands for the address of the site.
        const here = (lines: readonly string[]) => lines.map((line) => line.replaceAll('{{url}}', wordpress.url));
        const [expected, left] = [here(task.differences), here(task.left ?? [])];
        expect.soft(asExpected(differences(before, done), expected)).toEqual(expected.toSorted());
        expect.soft(asExpected(undo, left)).toEqual(left.toSorted());
        expect(undone.length).toBeGreaterThan(0);
      });
    });
  }

  it('a page made with a page builder is shown as such and refused, with its builder’s address', async () => {
    const before = await dumpDatabase(wordpress);
    const landing = await mirror.content.get('landing');
    expect(landing.marks).toEqual(['read-only']);
    const site = clientSite(wordpress, mirror, { actor: 'assistant', sessionId: 'ses_built' });
    await expect(site.reword('landing', 'Firing now', 'Fired')).rejects.toThrow(
      /made with Elementor.*post=\d+&action=elementor$/,
    );
    expect(await mirror.content.editUrl(landing)).toMatch(/post=\d+&action=elementor$/);
    expect(differences(before, await dumpDatabase(wordpress))).toEqual([]);
  });

  it('reports before a write who has a page open in WordPress, and what it cannot store', async () => {
    const { content } = mirror;
    const about = await content.get('about');
    expect(await content.cautions(about)).toEqual([]);
    await wordpress.php("update_post_meta(get_page_by_path('about')->ID, '_edit_lock', time() . ':2');");
    const draft = { ...about.draft, seo: { noIndex: true }, author: 'Ann' };
    expect((await content.cautions({ ...about, draft })).map(({ text }) => text)).toEqual([
      'Berta has "About us" open in WordPress\'s editor: saving it there replaces what is written here meanwhile.',
      'WordPress has no place for the author and the mark that search engines leave it out: only kept here.',
    ]);
    await wordpress.php("update_post_meta(get_page_by_path('about')->ID, '_edit_lock', (time() - 200) . ':2');");
    expect(await content.cautions(about)).toEqual([]);
  });

  it('a post that was unpublished in WordPress is published from here with the date that it had', async () => {
    const by = { actor: 'assistant', sessionId: 'ses_dated', turnId: 'trn_1' } as const;
    const visited = async () => (await fetch(`${wordpress.url}/diary-8/`)).text();
    const [before, shown] = [await dumpDatabase(wordpress), await visited()];
    await wordpress.php(
      "wp_update_post(['ID' => get_page_by_path('diary-8', OBJECT, 'post')->ID, 'post_status' => 'draft']);",
    );
    const unpublished = await dumpDatabase(wordpress);
    const { entry } = await mirror.content.publish((await mirror.content.get('diary-8')).id, by);
    expect(new Date(entry.publishedAt!).getUTCFullYear()).toBe(2023);
    expect(differences(before, await dumpDatabase(wordpress))).toEqual([]);
    expect(await visited()).toBe(shown);
    await mirror.content.undoAll({ sessionId: by.sessionId }, { ...by, actor: 'user' });
    expect(differences(unpublished, await dumpDatabase(wordpress))).toEqual([]);
  });

  it('no password of an entry is stored in plain text', async () => {
    const isKept = and(like(remoteLinks.known, '%"password":"%'), notLike(remoteLinks.known, '%"password":""%'));
    const kept = await mirror.db.read.select().from(remoteLinks).where(isKept);
    expect(kept).toHaveLength(1);
    const past = await mirror.db.read.select().from(remotePast);
    expect(JSON.stringify([kept, past])).not.toContain('clay pass');
  });
});
