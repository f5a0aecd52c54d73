import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filteredMarkup } from '#server/wordpress/blocks/filtered-markup';
import { comparable } from '#server/wordpress/blocks/markup-rules';
import type { ChangeOrigin } from '#server/core/site/changes';
import { ForbiddenError } from '#server/core/errors';
import { sameJson } from '#server/core/json';
import { childrenOf } from '#server/markup/html-tree';
import { parseHtml } from '#server/markup/parse-html';
import { testConnection } from '#server/wordpress/client/create-wordpress-client';
import { mirrorOf, type MirroredSite } from '#tests/peers/support/mirrored-site';
import { differences, dumpDatabase } from '#tests/peers/support/whole-database';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';
import { arbitraryBlocks } from '#tests/support/arbitrary-blocks';

const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`;
const MAP = '<iframe src="https://maps.example/?q=1" title="Map" width="600"></iframe>';
const FORM = '<form action="/send"><input name="mail"/><script>check(1 < 2);</script></form>';
const contact = [
  '<!-- wp:heading -->\n<h2>Find us</h2>\n<!-- /wp:heading -->',
  paragraph('Open daily until six.'),
  `<!-- wp:html -->\n${MAP}\n<!-- /wp:html -->`,
  `<!-- wp:html -->\n${FORM}\n<!-- /wp:html -->`,
].join('\n\n');
const plain = [
  '<!-- wp:heading {"style":{"color":{"text":"#224466"}}} -->\n<h2 class="has-text-color" style="color:#224466">Plain</h2>\n<!-- /wp:heading -->',
  paragraph('Bowls and <a href="https://a.example/?a=1&amp;b=2" target="_blank" rel="noopener">plates</a>.'),
  '<!-- wp:spacer {"height":"30px"} -->\n<div style="height:30px" aria-hidden="true" class="wp-block-spacer"></div>\n<!-- /wp:spacer -->',
].join('\n\n');

/** Markup that is kept or removed; see wp-includes/kses.php. */
const snippets = [
  '<div class="a" id="b" data-x-1="2" style="color:red;margin-top:var(--wp--preset--spacing--20)" onclick="a()">x</div>',
  '<div data-x-1="2" style="background:linear-gradient(135deg,rgb(1,2,3) 0%,#fff 100%)">x</div>',
  '<p style="color:rgb(1,2,3)">x</p>',
  '<p style="background-image:url(https://a.example/b.png);width:calc(100% - 2 * (1px + 2px))">x</p>',
  '<p style="background-image:url(javascript:a())">x</p>',
  '<p style="display:none">x</p>',
  '<a href="javascript:a()">x</a>',
  '<a href="https://a.example/a:b" download>x</a>',
  '<a href="/a:b">x</a>',
  '<a href="tel:+49123" data-A="1">x</a>',
  '<a href="whatsapp://send?text=x">x</a>',
  '<img src="data:image/png;base64,AA" alt="x"/>',
  '<img src="/a.png" alt="x" srcset="/a.png 1x" sizes="1px" decoding="async"/>',
  '<img src="/a.png" alt=x width=3>',
  '<video controls loop muted playsinline poster="/a.png" src="/a.mp4"></video>',
  '<audio controls src="/a.mp3" crossorigin="anonymous"></audio>',
  '<object data="https://a.example/a.pdf" type="application/pdf"></object>',
  '<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>',
  '<time datetime="2024-01-01">x</time>',
  '<button type="button" class="b" aria-expanded="false">x</button>',
  '<table><tbody><tr><td colspan="2" data-align="right">x</td></tr></tbody></table>',
  '<ol start="3" reversed><li value="2">x</li></ol>',
  '<select><option>x</option></select>',
  '<style>.a > .b { color: red }</style>',
  '<script type="application/json">{"a":1}</script>',
  '<details open><summary>x</summary>y</details>',
  '<p>1 < 2 and 3 > 2</p>',
  '<p>a &amp; b & c &unknown; d</p>',
  '<!-- a comment -->',
  '<!-- a <b>comment</b> with <iframe src="/x"></iframe> -->',
  '<p title="a > b">x</p>',
  '<p itemscope itemtype="https://schema.org/Thing">x</p>',
  '<custom-element a="b">x</custom-element>',
  `<!-- wp:acme/a {"html":"\\u003ciframe src=\\u0022/x\\u0022\\u003e\\u003c/iframe\\u003e"} /-->`,
  `<!-- wp:acme/a {"html":"\\u003cem\\u003ex\\u003c/em\\u003e","deep":{"a":["b",1,true,null]}} /-->`,
];

describe.skipIf(!hasWordPress)('a user of a multisite who may not save unfiltered HTML', () => {
  let wordpress: WordPressServer;
  let carla: Pick<WordPressServer, 'url' | 'username' | 'password'>;
  let mirror: MirroredSite;
  const by: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1', turnId: 'trn_1' };

  beforeAll(async () => {
    wordpress = await startWordPress({ isMultisite: true });
    const pages = Object.entries({ contact, plain }).map(
      ([slug, content]) =>
        `wp_insert_post(wp_slash(['post_type' => 'page', 'post_name' => '${slug}', 'post_title' => '${slug}', 'post_status' => 'publish', 'post_content' => base64_decode('${Buffer.from(content).toString('base64')}')]));`,
    );
    const password = await wordpress.php(`
      wp_set_current_user(1); kses_remove_filters();
      ${pages.join('')}
      $id = wp_insert_user(['user_login' => 'carla', 'user_pass' => 'x', 'role' => 'editor', 'display_name' => 'Carla']);
      echo WP_Application_Passwords::create_new_application_password($id, ['name' => 'assistant'])[0];
    `);
    carla = { url: wordpress.url, username: 'carla', password: password.trim() };
    await (await fetch(`${wordpress.url}/contact/`)).text();
    mirror = await mirrorOf({ ...wordpress, ...carla }, { freshForMs: 0 });
  });
  afterAll(async () => {
    await mirror?.[Symbol.asyncDispose]();
    await wordpress?.[Symbol.asyncDispose]();
  });

  const reword = async (slug: string, from: string, to: string, { content } = mirror) => {
    const { id, draft } = await content.get(slug);
    const section = draft.sections.find(({ fields }) => JSON.stringify(fields).includes(from))!;
    const fields = JSON.parse(JSON.stringify(section.fields).replace(from, to)) as typeof section.fields;
    await content.patch(id, [{ op: 'set-section', sectionId: section.id, fields }], by);
  };

  it('is warned by the connection test and before a publication', async () => {
    const test = await testConnection({ ...carla, fetch });
    expect(test).toMatchObject({
      ok: true,
      abilities: { remarks: expect.arrayContaining([expect.stringContaining('filters the whole content')]) },
    });
    const admin = await testConnection({ ...wordpress, fetch });
    expect(JSON.stringify(admin)).not.toContain('filters the whole content');
    const { content } = mirror;
    expect(await content.cautions(await content.get('plain'))).toEqual([]);
    expect((await content.cautions(await content.get('contact'))).map(({ text }) => text).join()).toMatch(
      /WordPress would remove parts of "contact" with any change: <iframe>, <form>, <input>, <script>/,
    );
  });

  it('is refused changes that would lose a map, form or script, before anything is sent', async () => {
    const { content } = mirror;
    const before = await dumpDatabase(wordpress);
    const visited = async () => (await fetch(`${wordpress.url}/contact/`)).text();
    const shown = await visited();
    expect(shown).toContain(MAP);
    const { id } = await content.get('contact');
    const refused = expect.objectContaining({ message: expect.stringMatching(/<iframe>.*post=\d+&action=edit/) });
    await expect(reword('contact', 'until six', 'until seven')).rejects.toThrow(refused);
    await expect(reword('contact', 'until six', 'until seven')).rejects.toBeInstanceOf(ForbiddenError);
    await expect(content.patch(id, [{ op: 'set', field: 'title', value: 'Find us' }], by)).rejects.toThrow(refused);
    await expect(content.patch(id, [{ op: 'set', field: 'title', value: 'A' }], by, { dryRun: true })).rejects.toThrow(
      refused,
    );
    await expect(content.unpublish(id, by)).rejects.toThrow(refused);
    await expect(content.trash(id, by)).rejects.toThrow(refused);
    const both = ['plain', 'contact'].map(async (slug) => {
      const { id: entryId } = await content.get(slug);
      return { entryId, operations: [{ op: 'set' as const, field: 'title' as const, value: `${slug} 2` }] };
    });
    await expect(content.patchAll(await Promise.all(both), by)).rejects.toThrow(refused);
    expect(differences(before, await dumpDatabase(wordpress))).toEqual([]);
    expect(await visited()).toBe(shown);
  });

  it('changes what WordPress leaves unchanged, and its undo returns every byte', async () => {
    const { content } = mirror;
    const before = await dumpDatabase(wordpress);
    await reword('plain', 'Bowls', 'Cups');
    await content.publish((await content.get('plain')).id, by);
    expect(differences(before, await dumpDatabase(wordpress))).toEqual(['page plain post_content: "Bowls" > "Cups"']);
    await content.undoAll({ sessionId: by.sessionId! }, by);
    expect(differences(before, await dumpDatabase(wordpress))).toEqual([]);
  });

  it('may take the parts away that would be removed, and a super administrator changes the rest', async () => {
    const before = await dumpDatabase(wordpress);
    await using admin = await mirrorOf(wordpress, { freshForMs: 0 });
    await reword('contact', 'until six', 'until seven', admin);
    await admin.content.publish((await admin.content.get('contact')).id, by);
    expect(differences(before, await dumpDatabase(wordpress))).toEqual(['page contact post_content: "six" > "seven"']);
    const { id, draft } = await mirror.content.get('contact');
    const removals = draft.sections.slice(1).map(({ id: sectionId }) => ({ op: 'remove-section' as const, sectionId }));
    await mirror.content.patch(id, removals, { ...by, sessionId: 'ses_2' });
    await mirror.content.publish(id, { ...by, sessionId: 'ses_2' });
    const [page] = await mirror.client.entries
      .heads('page')
      .then((heads) => heads.filter(({ link }) => /contact/.test(link)));
    expect((await mirror.client.entries.get('page', page!.remoteId)).contentRaw).not.toContain('iframe');
  });

  it('finds removed markup exactly where WordPress removes some', async () => {
    const documents = fc.sample(arbitraryBlocks(), { numRuns: 60, seed: 7 }).map(({ raw }) => raw);
    const all = [...snippets, ...documents, contact, plain];
    const folder = mkdtempSync(join(tmpdir(), 'throughline-filtered-'));
    const file = join(folder, 'all.json');
    writeFileSync(file, JSON.stringify(all));
    const answer = await wordpress.php(`
      $all = json_decode(file_get_contents('${file}'));
      echo json_encode(array_map(fn($raw) => wp_unslash(wp_filter_post_kses(wp_slash($raw))), $all));
    `);
    rmSync(folder, { recursive: true });
    // It leaves the last semicolon of a style out. What is in attributes of blocks is in their comments.
    const meaning = (html: string) => [
      comparable(childrenOf(parseHtml(html))).replaceAll(/;\s*"/g, '"'),
      String(html.match(/\\u003c/g)?.length),
    ];
    for (const [n, filtered] of (JSON.parse(answer) as string[]).entries()) {
      const isSame = sameJson(...([filtered, all[n]!].map(meaning) as [string[], string[]]));
      expect.soft(filteredMarkup(all[n]!).length === 0, all[n]).toBe(isSame);
    }
  });
});
