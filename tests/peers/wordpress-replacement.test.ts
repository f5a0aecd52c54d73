import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wordsOf } from '#server/markup/html-tree';
import { parseForeignPage } from '#server/markup/parse-html';
import { findTool } from '#server/tools/index';
import type { ToolContext } from '#server/tools/tool';
import { mirrorOf } from '#tests/peers/support/mirrored-site';
import { differences, dumpDatabase } from '#tests/peers/support/whole-database';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';

const paragraph = (html: string) => `<!-- wp:paragraph -->\n<p>${html}</p>\n<!-- /wp:paragraph -->`;
const custom = (html: string) => `<!-- wp:html -->\n${html}\n<!-- /wp:html -->`;

/** The number as people and editors write it, with what only its source shows. */
const WRITTEN = [
  paragraph('Call 030&nbsp;48213&nbsp;45 today.'),
  paragraph('Call 030\u00a048213\u00a045 today.'),
  paragraph('Call 030&#160;48213 45 today.'),
  paragraph('Call 030\u200948213\u202f45 today.'),
  paragraph('Call <strong>030</strong> 48213 45 today.'),
  paragraph('Call 030 <strong>48213</strong> 45 today.'),
  paragraph('Call <em>030 48213</em> 45 today.'),
  paragraph('Call <span class="tel">030</span>&nbsp;<span>48213</span> 45 today.'),
  paragraph('Call <a href="/contact/">030 <b>48213</b></a> 45 today.'),
  paragraph('Call 030<br>48213 45 today.'),
  custom('<div class="call">Call 030&nbsp;<b>48213</b> 45 today.</div>'),
  custom('<p>Call <i>030</i> 48213&#8239;45 today.</p>'),
  '<!-- wp:list -->\n<ul><!-- wp:list-item -->\n<li>Call 030&nbsp;<strong>48213</strong> 45 today.</li>\n<!-- /wp:list-item --></ul>\n<!-- /wp:list -->',
  '<p>Call 030&nbsp;48213 45 today.</p>',
];
/** The tag runs through what would change. */
const UNSAFE = [
  paragraph('Call 030 4<strong>8213</strong> 45 today.'),
  custom('<p>Call 030 <b>4</b>8213 45 today.</p>'),
];
const PAGES = 60;

const contents = Array.from(
  { length: PAGES },
  (_, n) => [...WRITTEN, ...UNSAFE][n] ?? paragraph(`Page ${n}. Call 030 48213 45 today.`),
);
const safe = contents.filter((content) => !UNSAFE.includes(content));

describe.skipIf(!hasWordPress)('a number on sixty pages of WordPress', () => {
  let wordpress: WordPressServer;
  beforeAll(async () => {
    wordpress = await startWordPress({ asClient: true });
  });
  afterAll(() => wordpress?.[Symbol.asyncDispose]());

  it('is replaced wherever visitors see it, but where a tag runs through it, which is listed', async () => {
    const unread = [
      ['notes', `${paragraph('A note')}\n\n<!-- wp:footnotes /-->`],
      ['overridden', '<!-- wp:block {"ref":1,"content":{"Heading":{"content":"Own words"}}} /-->'],
    ];
    const made = [...contents.map((content, n) => [`call-${n}`, content]), ...unread];
    await wordpress.php(`kses_remove_filters();
      foreach (json_decode(base64_decode('${Buffer.from(JSON.stringify(made)).toString('base64')}')) as [$slug, $content])
        wp_insert_post(wp_slash(['post_type' => 'page', 'post_status' => 'publish', 'post_author' => 1,
          'post_title' => $slug, 'post_name' => $slug, 'post_content' => $content]));`);
    const seen = async (n: number) => (await fetch(`${wordpress.url}/call-${n}/`)).text();
    const pages = async () => {
      const all: string[] = [];
      for (let n = 0; n < PAGES; n += 1) all.push(await seen(n));
      return all;
    };
    const shownBefore = await pages();
    await using mirror = await mirrorOf(wordpress);
    const before = await dumpDatabase(wordpress);
    const context = { content: mirror.content, origin: { actor: 'assistant', sessionId: 'ses_1', turnId: 'trn_1' } };
    const run = async (input: object) => {
      const tool = findTool('edit_text')!;
      return JSON.parse(JSON.stringify(await tool.execute(tool.input.parse(input), context as ToolContext))) as {
        entries: { id: string; title: string }[];
      };
    };
    const replacement = { find: '030 48213 45', replace: '030 91657 45' };
    const rehearsed = await run({ ...replacement, dryRun: true });
    const titles = [{ title: 'call-14' }, { title: 'call-15' }].map((one) => expect.objectContaining(one) as unknown);
    const left = { total: 2, places: expect.arrayContaining(titles) as unknown };
    expect(rehearsed).toMatchObject({ places: safe.length, notReplaced: left });
    expect(rehearsed).toHaveProperty('notSearched', [
      "fields of plugins that the site's API does not show",
      'header, footer, sidebars and templates of the theme',
      'texts of footnotes: "notes"',
      'words that an entry sets in a shared pattern: "overridden"',
      expect.stringContaining('"Landing"'),
    ]);
    const done = await run({ ...replacement, count: safe.length });
    expect(done).toMatchObject({ replaced: safe.length, notReplaced: left });
    for (const { id } of done.entries) await mirror.content.publish(id, { actor: 'user' });

    const changed = contents.flatMap((content, n) =>
      UNSAFE.includes(content) ? [] : [`page call-${n} post_content: "48213" > "91657"`],
    );
    expect(differences(before, await dumpDatabase(wordpress)).toSorted()).toEqual(changed.toSorted());
    for (const [n, page] of (await pages()).entries()) {
      expect.soft(page.replaceAll('91657', '48213'), `page ${n}`).toBe(shownBefore[n]);
      const words = wordsOf(parseForeignPage(page)).replaceAll(/\s+/g, ' ');
      expect.soft(words, `page ${n}`).toContain(UNSAFE.includes(contents[n]!) ? '030 48213 45' : '91657');
    }
    await mirror.content.undoAll({ sessionId: 'ses_1' }, { actor: 'user' });
    for (const { id } of done.entries) await mirror.content.publish(id, { actor: 'user' });
    expect(differences(before, await dumpDatabase(wordpress))).toEqual([]);
  });
});
