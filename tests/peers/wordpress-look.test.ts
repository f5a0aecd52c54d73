import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ThemeRoots } from '#server/core/site/theme';
import type { Entry } from '#server/core/site/content';
import { NotFoundError } from '#server/core/errors';
import { attribute, elementsWithin, wordsOf } from '#server/markup/html-tree';
import { parseForeignPage } from '#server/markup/parse-html';
import { clientSite } from '#tests/peers/support/client-site';
import { mirrorOf, type MirroredSite } from '#tests/peers/support/mirrored-site';
import { type DatabaseDump, dumpDatabase } from '#tests/peers/support/whole-database';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';

const lookRoots: ThemeRoots = { pages: '/look/page', files: '/look/file' };

/* Drafts as WordPress itself shows them, by the companion plugin; not one byte of the database differs afterwards. */

const BY = { actor: 'assistant', sessionId: 'ses_look' } as const;
const COMPANION = "WPMU_PLUGIN_DIR . '/throughline-companion.php'";

/** A plugin that writes down each look at a draft, in every way that there is. */
const COUNTER = `<?php
add_action('wp_head', function () {
    if (!defined('REST_REQUEST')) return;
    update_option('seen', 1 + (int) get_option('seen'));
    set_transient('seen', 'yes', 60);
    update_post_meta(get_the_ID(), 'views', wp_rand());
    wp_insert_post(['post_title' => 'Seen', 'post_content' => 'seen']);
    global $wpdb;
    $wpdb->query('/* a note */ delete from ' . $wpdb->posts);
    wp_remote_get(home_url('/'));
});
add_action('shutdown', fn() => defined('REST_REQUEST') && did_action('wp_head') && update_option('seen_last', microtime(true)));`;

/** As `dumpDatabase`, but for when our own password was used. */
async function everything(wordpress: WordPressServer): Promise<DatabaseDump> {
  const dump = new Map(await dumpDatabase(wordpress));
  const rows = [...(dump.get('wp_usermeta') ?? [])].filter(([, row]) => row['meta_key'] !== '_application_passwords');
  return dump.set('wp_usermeta', new Map(rows));
}

function sectionsIn(html: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const element of elementsWithin(parseForeignPage(html))) {
    const id = attribute(element, 'dataSection');
    if (id !== undefined) found.set(id, `${found.get(id) ?? ''} ${wordsOf(element)}`);
  }
  return found;
}

describe.skipIf(!hasWordPress)('how WordPress itself shows a draft', () => {
  let wordpress: WordPressServer;
  let mirror: MirroredSite;
  beforeAll(async () => {
    wordpress = await startWordPress({ asClient: true });
    await wordpress.php(
      `file_put_contents(WPMU_PLUGIN_DIR . '/counter.php', ${JSON.stringify(COUNTER).replaceAll('$', String.raw`\$`)});`,
    );
    mirror = await mirrorOf(wordpress, { freshForMs: 0 });
  });
  afterAll(async () => {
    await mirror?.[Symbol.asyncDispose]();
    await wordpress?.[Symbol.asyncDispose]();
  });

  /** The look of an entry, and that nothing was written for it. */
  async function lookAt(entry: Entry): Promise<string> {
    const before = await everything(wordpress);
    const look = await mirror.content.themePreview(entry, lookRoots);
    expect(await everything(wordpress)).toEqual(before);
    return look?.html ?? `none: ${JSON.stringify(look)}`;
  }

  for (const [theme, header] of [
    ['peer', '<nav class="'],
    ['peer-classic', '<div class="menu-'],
  ] as const) {
    it(`has the draft's words in the theme ${theme}, each section marked`, async () => {
      await wordpress.php(`switch_theme('${theme}');`);
      // WordPress writes something down when a theme first shows a page.
      await (await fetch(`${wordpress.url}/about/`)).text();
      await mirror.pull();
      const site = clientSite(wordpress, mirror, BY);
      await site.reword('about', 'Three potters', `Four potters of ${theme}`);
      await site.patch('about', [{ op: 'set', field: 'title', value: `About ${theme}` }]);
      const about = await mirror.content.get('about');
      expect(about.status).toBe('changed');
      const html = await lookAt(about);
      expect(html).toContain('data-look="draft"');
      expect(html).toContain(header);
      expect(html).toContain(`About ${theme}</h1>`);
      expect(html).toContain(`Four potters of ${theme}`);
      expect(html).not.toContain('Three potters');
      expect(html).not.toMatch(
        /<script|<iframe|\son[a-z]+="|(?:src|srcset)="http|url\(["']?http|<link[^>]* href="http/,
      );
      const found = sectionsIn(html);
      expect([...found.keys()]).toEqual(about.draft.sections.map(({ id }) => id));
      expect(found.get((await site.section('about', 'Four potters')).id)).toContain('Four potters');
      // Visitors see what is published.
      expect(await (await fetch(`${wordpress.url}/about/`)).text()).toContain('Three potters');
      const { undone } = await mirror.content.undoAll({ sessionId: BY.sessionId }, { ...BY, actor: 'user' });
      expect(undone.length).toBeGreaterThan(0);
    });
  }

  it('of every page, post and entry that visitors can see marks the sections that show something', async () => {
    const missing: string[] = [];
    for (const type of ['page', 'post'] as const) {
      for (const { id } of (await mirror.content.query({ type, limit: 40 })).items) {
        const entry = await mirror.content.get(id);
        const look = await mirror.content.themePreview(entry, lookRoots);
        const found = sectionsIn(look?.html ?? '');
        // A page builder shows what it keeps itself.
        if (entry.marks?.includes('read-only')) continue;
        for (const section of entry.draft.sections)
          if (!found.has(section.id))
            missing.push(`${entry.draft.slug} ${section.type} ${JSON.stringify(section.fields).slice(0, 80)}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('a user who may not edit an entry gets nothing of it', async () => {
    const about = await mirror.content.get('about');
    const id = /post=(\d+)/.exec((await mirror.content.editUrl(about)) ?? '')?.[1];
    const password = await wordpress.php(
      "echo WP_Application_Passwords::create_new_application_password(get_user_by('login', 'carl')->ID, ['name' => 'x'])[0];",
    );
    const ask = (headers: Record<string, string>) =>
      fetch(`${wordpress.url}/wp-json/throughline/v1/entries/${id}/look`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ title: 'x', content: '<p>x</p>', excerpt: '', cover: 0 }),
      });
    const carl = { authorization: `Basic ${Buffer.from(`carl:${password.trim()}`).toString('base64')}` };
    expect((await ask(carl)).status).toBe(403);
    expect((await ask({})).status).toBe(401);
  });

  it('files of the theme come from this WordPress only, and nothing else comes that way', async () => {
    const style = await mirror.content.themeFile('/wp-content/themes/peer/style.css?ver=1', lookRoots);
    expect(style.mediaType).toBe('text/css; charset=utf-8');
    expect(new TextDecoder().decode(style.data)).toContain('Theme Name: Peer');
    for (const path of ['/wp-login.php', '/wp-json/', '//else.example/a.css', '/readme.html', '/wp-cron.php?a=.css'])
      await expect(mirror.content.themeFile(path, lookRoots)).rejects.toThrow(NotFoundError);
  });

  it('without the plugin shows the published page if the draft equals it, and reports the reason', async () => {
    const about = await mirror.content.get('about');
    const changed = { ...about, draft: { ...about.draft, title: 'Otherwise' } };
    await wordpress.php(`unlink(${COMPANION});`);
    expect(await mirror.content.themePreview(changed, lookRoots)).toEqual({ html: null, gap: 'no-companion' });
    await wordpress.php(
      `file_put_contents(WPMU_PLUGIN_DIR . '/old.php', '<?php add_action("rest_api_init", fn() => register_rest_route("throughline/v1", "/entries/(?P<id>\\\\d+)/open", ["callback" => "__return_null", "permission_callback" => "__return_true"]));');`,
    );
    expect(await mirror.content.themePreview(changed, lookRoots)).toEqual({ html: null, gap: 'old-companion' });
    await wordpress.php("unlink(WPMU_PLUGIN_DIR . '/old.php');");
    const html = (await mirror.content.themePreview(about, lookRoots))?.html ?? '';
    expect(html).toContain('data-look="published no-companion"');
    expect(html).toContain('Three potters');
    // These words are sent only to visitors with the password.
    const members = await mirror.content.get('members');
    expect(await mirror.content.themePreview(members, lookRoots)).toEqual({ html: null, gap: 'no-companion' });
  });
});
