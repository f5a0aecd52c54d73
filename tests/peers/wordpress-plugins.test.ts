import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { projectPath } from '#scripts/lib/project';
import { findTool } from '#server/tools/index';
import { saysTheSame } from '#server/wordpress/blocks/markup-meaning';
import { testConnection } from '#server/wordpress/client/create-wordpress-client';
import { clientSite } from '#tests/peers/support/client-site';
import { mirrorOf, type MirroredSite } from '#tests/peers/support/mirrored-site';
import { differences, dumpDatabase } from '#tests/peers/support/whole-database';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';

const COMPANION = projectPath('examples/wordpress/throughline-companion.php');
const PLUGINS = projectPath('tests/peers/support/wordpress/plugins-of-clients.php');
const by = { actor: 'assistant', sessionId: 'ses_plugins', turnId: 'trn_1' } as const;

describe.skipIf(!hasWordPress)('a WordPress with plugins', () => {
  let wordpress: WordPressServer;
  beforeAll(async () => {
    wordpress = await startWordPress();
    await install('plugins-of-clients.php', PLUGINS);
  });
  afterEach(async () => {
    await wordpress.php("@unlink(WPMU_PLUGIN_DIR . '/throughline-companion.php');");
    await wordpress.reset();
  });
  afterAll(() => wordpress?.[Symbol.asyncDispose]());

  async function install(name: string, path: string) {
    const code = readFileSync(path).toString('base64');
    await wordpress.php(
      `wp_mkdir_p(WPMU_PLUGIN_DIR); file_put_contents(WPMU_PLUGIN_DIR . '/${name}', base64_decode('${code}'));`,
    );
  }
  const switchOn = (plugin: string) =>
    wordpress.php(`update_option('peer_${plugin}', '1'); update_option('fresh_site', '0');`);
  const visited = async (path: string) => (await fetch(`${wordpress.url}${path}`)).text();
  /** What would be shown for approval. */
  const effectOf = async ({ content }: MirroredSite, name: string, input: object) => {
    const tool = findTool(name)!;
    return tool.effect!(tool.input.parse(input), { content, origin: by });
  };

  it('that rewrites the JSON of all blocks keeps its sections, and undo restores them', async () => {
    await switchOn('rewriting');
    const picture = (n: number) =>
      `<!-- wp:image {"sizeSlug":"large","style":{}} -->\n<figure class="wp-block-image size-large"><img src="/p${n}.png" alt="Picture ${n}"/></figure>\n<!-- /wp:image -->`;
    const raw = [
      '<!-- wp:heading {"level":1,"style":{}} -->\n<h1>First</h1>\n<!-- /wp:heading -->',
      '<!-- wp:paragraph {"ratio":1.0,"align":"center"} -->\n<p class="has-text-align-center">One</p>\n<!-- /wp:paragraph -->',
      '<!-- wp:acme/divider {"waves":1.0,"options":{}} /-->',
      picture(1),
      '<!-- wp:paragraph {"style":{"spacing":{}}} -->\n<p>Two</p>\n<!-- /wp:paragraph -->',
      '<!-- wp:spacer {"height":"9px","style":{}} -->\n<div style="height:9px" aria-hidden="true" class="wp-block-spacer"></div>\n<!-- /wp:spacer -->',
      picture(2),
      '<!-- wp:paragraph {"x":2.0,"meta":{"0":"a"}} -->\n<p>Three</p>\n<!-- /wp:paragraph -->',
    ].join('\n\n');
    const made = JSON.stringify({ raw });
    await wordpress.php(
      `kses_remove_filters(); wp_insert_post(wp_slash(['post_type' => 'page', 'post_status' => 'publish', 'post_title' => 'Blocks',
        'post_content' => json_decode(base64_decode('${Buffer.from(made).toString('base64')}'))->raw]));`,
    );
    await visited('/blocks/');
    await using mirror = await mirrorOf(wordpress, { freshForMs: 0 });
    const site = clientSite(wordpress, mirror, by);
    const stored = async () => (await site.remote('page', 'blocks'))[0]!.contentRaw;
    const [before, shown, { draft }] = [
      await dumpDatabase(wordpress),
      await visited('/blocks/'),
      await mirror.content.get('blocks'),
    ];
    expect(await stored()).toBe(raw);
    const changes: string[] = [];
    for (const [from, to] of [
      ['One', 'Ones'],
      ['Two', 'Twos'],
      ['Three', 'Threes'],
    ] as const) {
      await site.reword('blocks', from, to);
      changes.push((await mirror.content.changes({ sessionId: by.sessionId, limit: 1 }))[0]!.id);
      await site.publish('blocks');
      const { draft: after } = await mirror.content.get('blocks');
      expect(after.sections.map(({ id }) => id)).toEqual(draft.sections.map(({ id }) => id));
    }
    expect(await stored()).not.toContain('1.0');
    const changed = raw.replace('One', 'Ones').replace('Two', 'Twos').replace('Three', 'Threes');
    expect(saysTheSame(await stored(), changed), await stored()).toBe(true);
    // The second first: what is around it stays.
    const [, second = ''] = changes;
    await mirror.content.undo(second, { ...by, actor: 'user' });
    await site.publish('blocks');
    expect(saysTheSame(await stored(), changed.replace('Twos', 'Two')), await stored()).toBe(true);
    const { conflicts } = await mirror.content.undoAll({ sessionId: by.sessionId }, { ...by, actor: 'user' });
    expect(conflicts).toEqual([]);
    expect(saysTheSame(await stored(), raw), await stored()).toBe(true);
    expect(await visited('/blocks/')).toBe(shown);
    const left = differences(before, await dumpDatabase(wordpress));
    expect(left.filter((line) => !line.startsWith('page blocks post_content: '))).toEqual([]);
    expect(
      (await mirror.content.changes({ actor: 'external', targetId: (await mirror.content.get('blocks')).id })).length,
    ).toBe(1);
  });

  it('sets SEO texts of a product if its SEO plugin shows them, and else refuses them', async () => {
    await switchOn('yoast');
    await wordpress.php(
      `wp_insert_post(['post_type' => 'product', 'post_status' => 'publish', 'post_title' => 'Vase', 'post_content' => 'Blue.']);
        flush_rewrite_rules(false);`,
    );
    await using mirror = await mirrorOf(wordpress, { freshForMs: 0 });
    const site = clientSite(wordpress, mirror, by);
    const seo = { op: 'set', field: 'seo', value: { title: 'Blue vases' } } as const;
    const before = await dumpDatabase(wordpress);
    await expect(site.patch('vase', [seo])).rejects.toThrow(/Yoast SEO does not show its fields for "product"/);
    expect((await mirror.content.get('vase')).draft.seo).toBeUndefined();
    expect(differences(before, await dumpDatabase(wordpress))).toEqual([]);
    const { notes } = await mirror.content.create({ type: 'page', title: 'New', seo: { title: 'Shown' } }, by);
    expect(notes?.join(' ')).toContain('WordPress has no place for the SEO details');
    const remarks = async () => {
      const tested = await testConnection({ ...wordpress, fetch });
      return (tested.ok ? tested.abilities.remarks : []).join('\n');
    };
    expect(await remarks()).toContain('Yoast SEO does not show its fields');

    await install('throughline-companion.php', COMPANION);
    expect(await remarks()).not.toContain('Yoast SEO does not show its fields');
    await using shown = await mirrorOf(wordpress, { freshForMs: 0 });
    const again = clientSite(wordpress, shown, by);
    const page = await visited('/product/vase/');
    await again.patch('vase', [seo]);
    await again.publish('vase');
    expect(await visited('/product/vase/')).toContain('<title>Blue vases</title>');
    await shown.content.undoAll({ sessionId: by.sessionId }, { ...by, actor: 'user' });
    expect(await visited('/product/vase/')).toBe(page);
  });

  it('has approvals name the addresses that visitors know', async () => {
    await wordpress.php(
      "update_option('permalink_structure', '/journal/%year%/%postname%/'); $GLOBALS['wp_rewrite']->init(); flush_rewrite_rules(false);",
    );
    await using mirror = await mirrorOf(wordpress, { freshForMs: 0 });
    const { content } = mirror;
    const site = clientSite(wordpress, mirror, by);
    const addressIn = (text: string) => /https?:\/\/\S+?(?=[.,]?(?:\s|$))/.exec(text)?.[0] ?? '';
    const { entry } = await content.create({ type: 'post', title: 'Kiln day' }, by);
    const approved = addressIn((await effectOf(mirror, 'publish_content', { ref: entry.id })).summary);
    await content.publish(entry.id, by);
    const [remote] = await site.remote('post', 'kiln-day');
    expect([approved, (await fetch(approved)).status]).toEqual([remote!.link, 200]);
    await site.patch(entry.id, [{ op: 'set', field: 'slug', value: 'kiln-days' }]);
    const moved = await effectOf(mirror, 'publish_content', { ref: entry.id });
    expect(moved.warnings.join(' ')).toContain(
      `from ${remote!.link} to ${remote!.link.replace('kiln-day', 'kiln-days')}`,
    );
    const { entry: child } = await content.create(
      { type: 'page', title: 'Child', parent: (await content.get('sample-page')).id },
      by,
    );
    const below = await effectOf(mirror, 'publish_content', { ref: child.id });
    expect(addressIn(below.summary)).toBe(`${wordpress.url}/sample-page/child/`);
    const gone = await effectOf(mirror, 'delete_content', { ref: entry.id });
    expect(gone.summary).toContain(`${remote!.link} will not be found`);
  });

  it('shows and keeps the language of an entry, and gives it to new ones', async () => {
    await switchOn('polylang');
    await install('throughline-companion.php', COMPANION);
    const languageOf = async (remoteId: number) =>
      (await wordpress.php(`echo pll_get_post_language(${String(remoteId)});`)).trim();
    const sample = Number(await wordpress.php("echo get_page_by_path('sample-page')->ID;"));
    await wordpress.php(
      `foreach (['en', 'de'] as $language) wp_insert_term($language, 'language'); pll_set_post_language(${sample}, 'de'); pll_set_post_language(1, 'en');`,
    );
    await using mirror = await mirrorOf(wordpress, { freshForMs: 0 });
    const { content } = mirror;
    const site = clientSite(wordpress, mirror, by);
    const page = await content.get('sample-page');
    expect(page.draft.terms?.['language']).toEqual(['de']);
    expect((await content.query({ tag: 'de' })).items.map(({ id }) => id)).toEqual([page.id]);

    const before = await dumpDatabase(wordpress);
    await site.patch('sample-page', [{ op: 'set', field: 'title', value: 'Beispiel' }]);
    await site.publish('sample-page');
    expect(await languageOf(sample)).toBe('de');
    const set = (language: string[]) =>
      site.patch('sample-page', [{ op: 'set', field: 'terms', value: { ...page.draft.terms, language } }]);
    await expect(set([])).rejects.toThrow(/exactly one language/);
    await set(['en']);
    await site.publish('sample-page');
    expect(await languageOf(sample)).toBe('en');
    await content.undoAll({ sessionId: by.sessionId }, { ...by, actor: 'user' });
    expect(await languageOf(sample)).toBe('de');
    expect(differences(before, await dumpDatabase(wordpress))).toEqual([]);

    const make = async (slug: string, more: { terms?: Record<string, string[]>; parent?: string }) => {
      const { entry } = await content.create({ type: 'page', title: slug, slug, ...more }, by);
      const [remote] = await site.remote('page', slug);
      return [entry.draft.terms?.['language'], await languageOf(remote!.remoteId)];
    };
    expect(await make('neu', { terms: { language: ['de'] } })).toEqual([['de'], 'de']);
    expect(await make('below', { parent: page.id })).toEqual([['de'], 'de']);
    expect(await make('plain', {})).toEqual([['en'], 'en']);
  });
});
