import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { countTokens } from '#server/context/tokens';
import type { ContentBackend } from '#server/site/content-backend';
import { ConflictError, InvalidInputError, NotFoundError, ToolError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { findTool } from '#server/tools/index';
import type { HistoryReader, ToolContext } from '#server/tools/tool';
import { noHistory } from '#tests/support/no-conversation';
import { type RunTool, toolOrigin as origin, withToolsOf } from '#tests/support/run-tools';
import type { ChangeSet } from '#server/core/site/changes';
import { changeResult, notesResult } from '#server/tools/result-fields';

type Result = Readonly<Record<string, JsonValue>>;

const LONG_OUTPUT = 'x'.repeat(8_000) + 'y'.repeat(100);
const SPLIT_PAIR = `${'x'.repeat(7_999)}🚀`;

const history: HistoryReader = {
  ...noHistory,
  readPart: (id) => Promise.resolve({ prt_long: LONG_OUTPUT, prt_pair: SPLIT_PAIR }[id] ?? null),
};

/** A site with two pages and a post. */
function withTools(test: (run: RunTool, site: ContentBackend) => Promise<void>): Promise<void> {
  return withToolsOf(
    async (run, site) => {
      const seed = { actor: 'seed' } as const;
      const sections = [
        { type: 'hero', fields: { heading: 'Hello' } },
        { type: 'text', fields: { body: 'Rye and wheat.' } },
      ] as const;
      await site.create({ type: 'page', title: 'Home', sections }, seed);
      await site.create({ type: 'page', title: 'Team' }, seed);
      await site.create({ type: 'post', title: 'Rye bread', tags: ['bread'] }, seed);
      await test(run, site);
    },
    { siteId: 'embedded', scopes: ['content:write'], history },
  );
}

const sectionId = async (run: RunTool, index: number): Promise<string> => {
  const { sections } = (await run('get_content', { ref: 'home' })) as unknown as { sections: { id: string }[] };
  return sections[index]?.id ?? '';
};

describe('looking', () => {
  it('list_content gives compact lines of one type', () =>
    withTools(async (run) => {
      expect(await run('list_content', { type: 'page', limit: 1 })).toMatchObject({
        total: 2,
        items: [{ status: 'draft' }],
      });
      const { items } = await run('list_content', { type: 'post', tag: 'bread' });
      expect(items).toEqual([
        {
          id: expect.stringMatching(/^pos_/),
          title: 'Rye bread',
          slug: 'rye-bread',
          status: 'draft',
          updated: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
          tags: ['bread'],
          sections: 0,
        },
      ]);
    }));

  it('get_content shows unpublished changes, references and problems', () =>
    withTools(async (run) => {
      await run('publish_content', { ref: 'home' });
      await run('update_content', { ref: 'home', title: 'Start', seo: { noIndex: true } });
      await run('create_content', {
        type: 'page',
        title: 'Oven',
        parent: '/',
        sections: [{ type: 'text', fields: { body: '[Back](/home)' } }],
      });
      const page = await run('get_content', { ref: 'home', with: ['references', 'issues'] });
      expect(page).toMatchObject({
        seo: { noIndex: true },
        unpublished: 'Changed "Home": changed the title to "Start" and changed the SEO details',
        references: [
          { kind: 'home', from: 'settings', text: 'home' },
          { kind: 'child', from: expect.stringMatching(/^pag_\w+ "Oven"$/), draftOnly: true },
          {
            kind: 'link',
            from: expect.stringMatching(/^pag_\w+ "Oven"$/),
            sectionId: expect.stringMatching(/^sec_/),
            text: '/home',
            draftOnly: true,
          },
        ],
        issues: [],
        checked: expect.stringMatching(/^links, pictures .*; not the wording$/),
      });
      expect(await run('list_content', { type: 'page', parent: 'home' })).toMatchObject({
        total: 1,
        items: [{ title: 'Oven', path: '/oven' }],
      });
    }));

  it('update_content keeps unnamed search engine texts, and "" clears them', () =>
    withTools(async (run) => {
      await run('update_content', { ref: 'home', seo: { title: 'Bread', description: 'Fresh.' } });
      await run('update_content', { ref: 'home', seo: { description: '' } });
      expect((await run('get_content', { ref: 'home' })).seo).toEqual({ title: 'Bread' });
      await run('update_content', { ref: 'home', seo: { title: '' } });
      expect(await run('get_content', { ref: 'home' })).not.toHaveProperty('seo');
      await run('create_content', { type: 'page', title: 'Oven', parent: 'home' });
      expect(await run('get_content', { ref: 'oven' })).toHaveProperty('parent');
      await run('update_content', { ref: 'oven', parent: '' });
      expect(await run('get_content', { ref: 'oven' })).not.toHaveProperty('parent');
    }));

  it('update_content keeps search engine details that another person sets concurrently', () =>
    withTools(async (run, site) => {
      const { id } = await site.get('home');
      const get = site.get.bind(site);
      vi.spyOn(site, 'get').mockImplementationOnce(async (...args) => {
        const read = await get(...args);
        const seo = { description: 'By hand.' };
        await site.patch(id, [{ op: 'set', field: 'seo', value: seo }], { actor: 'user' });
        return read;
      });
      await expect(run('update_content', { ref: 'home', seo: { title: 'Bread' } })).rejects.toThrow(/has changed/);
      await run('update_content', { ref: 'home', seo: { title: 'Bread' } });
      expect((await get('home')).draft.seo).toEqual({ title: 'Bread', description: 'By hand.' });
    }));

  it('get_content gives the whole draft by id, slug or title', () =>
    withTools(async (run) => {
      const page = await run('get_content', { ref: 'HOME' });
      expect(page).toEqual({
        id: expect.stringMatching(/^pag_/),
        type: 'page',
        status: 'draft',
        revision: 1,
        path: '/',
        title: 'Home',
        slug: 'home',
        sections: [
          { id: expect.stringMatching(/^sec_/), type: 'hero', fields: { heading: 'Hello' } },
          { id: expect.stringMatching(/^sec_/), type: 'text', fields: { body: 'Rye and wheat.' } },
        ],
      });
      expect(await run('get_content', { ref: page.id ?? '' })).toEqual(page);
    }));

  it('a title that several entries carry is refused with their ids', () =>
    withTools(async (run, site) => {
      const { entry } = await site.create({ type: 'page', title: 'team', slug: 'team-2' }, { actor: 'seed' });
      const act = run('delete_content', { ref: 'TEAM ' });
      await expect(act).rejects.toThrow(ToolError);
      await expect(act).rejects.toThrow(entry.id);
      await expect(run('get_content', { ref: 'team-2' })).resolves.toMatchObject({ id: entry.id });
    }));

  it('describe_sections tells the fields of the types asked for', () =>
    withTools(async (run) => {
      expect(Object.keys(await run('describe_sections', { types: ['faq'] }))).toEqual(['faq']);
      expect((await run('describe_sections')).hero).toMatch(/subheading\?/);
    }));

  it('recall_output pages through a stored output', () =>
    withTools(async (run) => {
      const first = await run('recall_output', { id: 'prt_long' });
      expect(first).toMatchObject({ text: 'x'.repeat(8_000), totalChars: 8_100, nextOffset: 8_000 });
      expect(await run('recall_output', { id: 'prt_long', offset: 8_000 })).toEqual({
        id: 'prt_long',
        text: 'y'.repeat(100),
        totalChars: 8_100,
      });
      await expect(run('recall_output', { id: 'prt_other' })).rejects.toThrow(NotFoundError);
    }));

  it('recall_output shows images again, with the first page only', async () => {
    const read = vi.fn((id: string) => Promise.resolve(id === 'blb_1' ? Uint8Array.of(1, 2) : null));
    const images = ['blb_1', 'blb_gone'].map((fileId) => ({
      fileId,
      filename: `${fileId}.png`,
      mediaType: 'image/png',
    }));
    const recall = async (id: string, offset?: number) => {
      const context = { history: { ...history, imagesOf: () => Promise.resolve(images) }, files: { read } };
      const tool = findTool('recall_output')!;
      return tool.execute({ id, ...(offset !== undefined && { offset }) }, context as unknown as ToolContext);
    };
    const shown = [
      { type: 'image', data: Uint8Array.of(1, 2), mediaType: 'image/png', filename: 'blb_1.png' },
      { type: 'text', text: 'The image blb_gone.png cannot be read any more.' },
    ];
    expect(await recall('prt_image')).toMatchObject({ parts: shown, structured: { id: 'prt_image' } });
    expect(await recall('prt_long')).toMatchObject({ parts: shown, structured: { totalChars: 8_100 } });
    expect(await recall('prt_long', 8_000)).toMatchObject({ text: 'y'.repeat(100) });
  });

  it('recall_output never ends a page inside a character', () =>
    withTools(async (run) => {
      expect(await run('recall_output', { id: 'prt_pair' })).toMatchObject({ nextOffset: 7_999 });
      expect(await run('recall_output', { id: 'prt_pair', offset: 7_999 })).toMatchObject({ text: '🚀' });
    }));
});

describe('pages and posts', () => {
  it('create_content makes a draft with its sections and says their ids', () =>
    withTools(async (run, site) => {
      const created = await run('create_content', {
        type: 'post',
        title: 'Wheat',
        tags: ['bread'],
        sections: [{ type: 'quote', fields: { quote: 'Hm' } }, { type: 'faq' }],
      });
      const { entry } = { entry: await site.get('wheat') };
      expect(created).toEqual({
        path: '/blog/wheat',
        sections: entry.draft.sections.map(({ id, type }) => ({ id, type })),
        id: entry.id,
        type: 'post',
        title: 'Wheat',
        slug: 'wheat',
        status: 'draft',
        changeId: expect.stringMatching(/^chg_/),
      });
      await expect(run('create_content', { type: 'post', title: 'x', slug: 'wheat' })).rejects.toThrow(ConflictError);
    }));

  it('update_content changes what is given, clears with an empty text, and wants something to do', () =>
    withTools(async (run, site) => {
      await run('update_content', { ref: 'Rye bread', title: 'Rye', excerpt: 'Dark.' });
      await run('update_content', { ref: 'Rye', excerpt: '', tags: [] });
      const { draft } = await site.get('rye-bread');
      expect(draft.title).toBe('Rye');
      expect(draft.excerpt).toBeUndefined();
      expect(draft.tags ?? []).toEqual([]);
      await expect(run('update_content', { ref: 'Rye' })).rejects.toThrow(InvalidInputError);
    }));

  it('publish, unpublish and delete change the state, and record who asked', () =>
    withTools(async (run, site) => {
      expect(await run('publish_content', { ref: 'Team' })).toMatchObject({ status: 'published', slug: 'team' });
      await run('set_navigation', { items: [{ label: 'Us', href: '/team' }] });
      const stillLeadsHere = [{ kind: 'navigation', from: 'navigation', text: 'Us' }];
      expect(await run('unpublish_content', { ref: 'Team' })).toMatchObject({ status: 'draft', stillLeadsHere });
      expect(await run('delete_content', { ref: 'Team' })).toMatchObject({ status: 'trashed', stillLeadsHere });
      expect(await run('list_content', { type: 'page', status: 'trashed' })).toMatchObject({
        items: [{ title: 'Team', status: 'trashed' }],
      });
      expect(await site.find('Team')).toBeNull();
      const [change] = await site.changes({ limit: 1 });
      expect(change).toMatchObject({ action: 'delete', origin: { ...origin, toolCallId: expect.any(String) } });
    }));

  it('publish_content schedules a publication, reports the plan and the time, and cancels it', () =>
    withTools(async (run, site) => {
      const time = (Math.floor(Date.now() / 1_000) + 86_400) * 1_000;
      const at = new Date(time).toISOString();
      const planned = await run('publish_content', { ref: 'Team', at });
      expect(planned).toMatchObject({
        status: 'draft',
        publishAt: expect.stringMatching(/T\d\d:\d\d:\d\d[+-]/) as string,
      });
      expect(Date.parse(z.string().parse(planned.publishAt))).toBe(time);
      expect((await site.get('team')).publishAt).toBe(time);
      expect(await run('get_content', { ref: 'team' })).toMatchObject({ publishAt: planned.publishAt });
      const list = await run('list_content', { type: 'page', planned: true });
      expect(list).toMatchObject({ total: 1, items: [{ title: 'Team', publishAt: planned.publishAt }] });
      expect(Date.parse(z.string().parse(list.now))).toBeGreaterThanOrEqual(time - 86_400_000);
      expect(await run('publish_content', { ref: 'Team', at: 'never' })).not.toHaveProperty('publishAt');
      await expect(run('publish_content', { ref: 'Team', at: '2020-01-05T09:00Z' })).rejects.toThrow(
        /has passed\. Now it is \d{4}-/,
      );
      for (const wrong of ['tomorrow at 9', '2099-01-05', '2099-13-05T09:00Z', at.slice(0, 16)]) {
        await expect(run('publish_content', { ref: 'Team', at: wrong })).rejects.toThrow(InvalidInputError);
      }
      expect((await site.get('team')).publishAt).toBeNull();
    }));

  it('publish_content repeats the warnings of its approval', () =>
    withTools(async (run, site) => {
      const sections = [{ type: 'text', fields: { body: '[Rooms](/rooms)' } }] as const;
      await site.create({ type: 'page', title: 'Stay', excerpt: 'Stay.', sections }, origin);
      const warnings = ['/rooms leads nowhere.'];
      const at = new Date(Date.now() + 86_400_000).toISOString();
      expect(await run('publish_content', { ref: 'stay', at })).toMatchObject({ warnings });
      expect(await run('publish_content', { ref: 'stay' })).toMatchObject({ status: 'published', warnings });
      await run('edit_text', { find: '[Rooms](/rooms)', replace: 'Rooms' });
      expect(await run('publish_content', { ref: 'stay' })).not.toHaveProperty('warnings');
    }));

  it('writes report Markdown that visitors would read as source', () =>
    withTools(async (run, site) => {
      const fields = { heading: 'Book', body: 'See *prices*.', buttonLabel: 'Go', buttonHref: '/team' };
      const made = await run('add_section', { ref: 'home', type: 'call-to-action', fields });
      expect(made).toMatchObject({ literal: [expect.stringMatching(/^Visitors read "\*prices\*" as it is written/)] });
      const id = made['sectionId'] ?? '';
      expect(await run('update_section', { sectionId: id, fields: { heading: '**Book**' } })).toMatchObject({
        literal: [expect.stringContaining('"**Book**"'), expect.stringContaining('"*prices*"')],
      });
      // Of what it did not touch it says nothing.
      expect(await run('update_content', { ref: 'home', excerpt: 'Hi.' })).not.toHaveProperty('literal');
      expect(await run('update_content', { ref: 'home', excerpt: '_Hi_.' })).toMatchObject({
        literal: [expect.stringContaining('"_Hi_"')],
      });
      const edited = await run('edit_text', { find: '*prices*', replace: '[prices](/team)' });
      expect(edited).toMatchObject({
        entries: [{ literal: expect.arrayContaining([expect.stringContaining('"[prices](/team)"')]) }],
      });
      const issues = await run('get_content', { ref: 'home', with: ['issues'] });
      expect(issues).toMatchObject({
        issues: expect.arrayContaining([expect.stringMatching(/body: Visitors read "\[prices/)]),
      });
      expect((await site.validate((await site.get('home')).id)).length).toBeGreaterThan(2);
    }));

  it('edits tell of a plan that they are not part of', () =>
    withTools(async (run) => {
      const at = new Date(Date.now() + 86_400_000).toISOString();
      const frozen = { plan: expect.stringMatching(/^The draft is published as it is now\./) as string };
      expect(await run('publish_content', { ref: 'Team', at })).toMatchObject(frozen);
      expect(await run('get_content', { ref: 'Team' })).not.toHaveProperty('plan');
      const edited = await run('update_content', { ref: 'Team', excerpt: 'All of us.' });
      expect(edited).toMatchObject({ plan: expect.stringContaining('stays a draft') as string });
      expect(await run('get_content', { ref: 'Team' })).toMatchObject({ plan: edited['plan'] });
      const listed = () => run('list_content', { type: 'page', planned: true });
      expect(await listed()).toMatchObject({ items: [{ plan: 'without newer edits of the draft' }] });
      expect(await run('publish_content', { ref: 'Team', at })).toMatchObject(frozen);
      const [planned] = (await listed()).items as Result[];
      expect(planned).toMatchObject({ title: 'Team' });
      expect(planned).not.toHaveProperty('plan');
    }));

  it('publish_content previews a plan, or gives the reason against it', () =>
    withTools(async (_, site) => {
      const tool = findTool('publish_content')!;
      const at = new Date(Date.now() + 86_400_000).toISOString();
      const effectOf = (input: object) => tool.effect!(tool.input.parse(input), { content: site, origin });
      expect((await effectOf({ ref: 'team', at })).summary).toMatch(
        /^Puts "Team" on the site by itself on \w{3}, .*, at \/team\.$/,
      );
      await expect(effectOf({ ref: 'team', at: 'never' })).rejects.toThrow('is not planned');
      expect((await site.get('team')).publishAt).toBeNull();
    }));
});

describe('sections', () => {
  it('add_section counts positions from 1, and adds last without one', () =>
    withTools(async (run, site) => {
      const first = await run('add_section', { ref: 'home', type: 'quote', fields: { quote: 'Q' }, position: 1 });
      const last = await run('add_section', { ref: 'home', type: 'gallery' });
      expect([first.position, last.position]).toEqual([1, 4]);
      const { sections } = (await site.get('home')).draft;
      expect(sections.map(({ type }) => type)).toEqual(['quote', 'hero', 'text', 'gallery']);
      expect(sections[0]?.id).toBe(first.sectionId);
      await expect(run('add_section', { ref: 'home', type: 'text', fields: { nope: 1 } })).rejects.toThrow(/nope/);
    }));

  it('update_section sets some fields and keeps the others', () =>
    withTools(async (run, site) => {
      const id = await sectionId(run, 0);
      expect(await run('update_section', { sectionId: id, fields: { subheading: 'Sub' } })).toMatchObject({
        sectionId: id,
        slug: 'home',
      });
      expect((await site.get('home')).draft.sections[0]?.fields).toEqual({ heading: 'Hello', subheading: 'Sub' });
      await run('update_section', { sectionId: id, fields: { subheading: null } });
      expect((await site.get('home')).draft.sections[0]?.fields).toEqual({ heading: 'Hello' });
    }));

  it('move_section and remove_section work by id, and a position beyond the end is last', () =>
    withTools(async (run, site) => {
      const id = await sectionId(run, 0);
      expect(await run('move_section', { sectionId: id, position: 99 })).toMatchObject({ position: 2 });
      expect((await site.get('home')).draft.sections[1]?.id).toBe(id);
      await run('remove_section', { sectionId: id });
      expect((await site.get('home')).draft.sections).toHaveLength(1);
      await expect(run('remove_section', { sectionId: id })).rejects.toThrow(NotFoundError);
    }));
});

describe('the site', () => {
  it('set_navigation replaces the menu that get_navigation shows, nested items included', () =>
    withTools(async (run) => {
      const items = [
        { label: 'Home', href: '/' },
        { label: 'More', href: '/more', children: [{ label: 'Team', href: '/team' }] },
      ];
      await run('set_navigation', { items });
      expect(await run('get_navigation')).toEqual({ items, visitors_do_not_see: ['/', '/team'] });
      await expect(run('set_navigation', { items: [{ label: 'x', href: 'javascript:alert(1)' }] })).rejects.toThrow();
    }));

  it('set_settings changes some settings and answers with all', () =>
    withTools(async (run) => {
      const { settings } = await run('set_settings', { tagline: 'Bread' });
      expect(settings).toMatchObject({ tagline: 'Bread', siteName: expect.any(String) });
      expect(await run('get_settings')).toEqual(settings);
      await expect(run('set_settings', {})).rejects.toThrow(InvalidInputError);
      await expect(run('set_settings', { accentColor: 'blueish' })).rejects.toThrow(/accentColor/);
    }));

  it('undo of one change counts the other changes of its request, and how to undo them', () =>
    withTools(async (run, site) => {
      await run('update_content', { ref: 'home', title: 'Start' });
      await run('set_settings', { tagline: 'Bread' });
      const { changeId } = await run('create_content', { type: 'page', title: 'Oven' });
      expect(await run('undo')).toMatchObject({
        note: `2 other changes of the same request stand. To undo them too: scope "turn", changeId ${changeId as string}.`,
      });
      expect(await run('undo')).toMatchObject({ note: expect.stringMatching(/^1 other change .* To undo it too/) });
      expect(await run('undo', { scope: 'turn', changeId: changeId ?? '' })).toMatchObject({ undone: 1 });
      expect((await site.get('home')).draft.title).toBe('Home');
      const { changeId: alone } = await run('update_content', { ref: 'home', title: 'Again' });
      expect(await run('undo', { changeId: alone ?? '' })).not.toHaveProperty('note');
    }));

  it('undo reverts a turn or the conversation, and restores from the trash or to a revision', () =>
    withTools(async (run, site) => {
      const { id } = await site.get('home');
      await run('update_content', { ref: id, title: 'Renamed' });
      await run('update_content', { ref: id, author: 'Ada' });
      await site.patch(id, [{ op: 'set', field: 'title', value: 'Theirs' }], { actor: 'api' });
      expect(await run('undo', { scope: 'turn' })).toMatchObject({
        undone: 1,
        kept: [{ because: expect.stringContaining('Later changes would be lost') }],
      });
      expect((await site.get(id)).draft).toMatchObject({ title: 'Theirs' });
      await run('delete_content', { ref: id });
      expect(await run('undo', { ref: 'theirs' })).toMatchObject({ id, title: 'Theirs' });
      await expect(run('undo', { ref: id })).rejects.toThrow(ToolError);
      // The reverted text is no secret: the current text is in the result.
      expect(await run('undo', { ref: id, revision: 1 })).toMatchObject({
        title: 'Home',
        now: expect.arrayContaining([{ in: 'title', text: 'Home' }]) as unknown,
      });
      await expect(run('undo', { ref: 'settings' })).rejects.toThrow(/list_revisions with this ref/);
      await expect(run('undo', { ref: id, revision: 0 })).rejects.toThrow(ConflictError);
      expect((await run('undo', { scope: 'session' }))['undone']).toBeGreaterThan(0);
      expect((await site.get(id)).draft).toMatchObject({ title: 'Theirs' });
    }));

  it('undo of a whole turn briefly lists what was reverted, and what is in the trash only once', () =>
    withTools(async (run, site) => {
      const words = 'A white weatherboarded boathouse with a blue double door. '.repeat(8);
      for (const title of ['A', 'B', 'C', 'D', 'E']) {
        await site.create(
          {
            type: 'post',
            title,
            excerpt: 'Boathouse',
            sections: [{ type: 'text', fields: { body: `${words}Boathouse` } }],
          },
          { actor: 'user' },
        );
      }
      await run('edit_text', { find: 'Boathouse', replace: 'Boat house', all: true });
      await run('create_content', {
        type: 'page',
        title: 'Rooms',
        sections: [{ type: 'text', fields: { body: words } }],
      });
      for (const price of [70, 80, 90])
        await run('update_content', { ref: 'rooms', excerpt: `From £${price}. ${words}`.slice(0, 400) });
      const { id } = await site.get('rooms');
      const undone = await run('undo', { scope: 'turn' });
      expect(undone).toMatchObject({
        undone: 9,
        changes: expect.arrayContaining([
          expect.stringMatching(/^chg_\w+ Undid: Created the page "Rooms"/),
        ]) as string[],
        inTrash: [`${id} "Rooms"`],
      });
      expect(JSON.stringify(undone['now'])).not.toContain('Rooms');
      expect(countTokens(JSON.stringify(undone))).toBeLessThan(650);
    }));

  it('undo says where a section is now, and a refusal names the section that was meant', () =>
    withTools(async (run) => {
      const id = await sectionId(run, 0);
      await run('move_section', { sectionId: id, position: 2 });
      expect(await run('undo')).toMatchObject({
        now: [
          {
            in: expect.stringContaining('section') as string,
            sectionId: expect.any(String) as string,
            position: expect.any(Number) as number,
          },
        ],
      });
      await expect(run('move_section', { sectionId: id.slice(0, -1), position: 1 })).rejects.toThrow(
        `There is no section "${id.slice(0, -1)}". Did you mean ${id} (hero, in "Home")?`,
      );
      const { id: pageId } = await run('get_content', { ref: 'home' });
      await expect(run('move_section', { sectionId: pageId as string, position: 1 })).rejects.toThrow(
        `There is no section "${pageId as string}". It is the page "Home", which has the sections `,
      );
    }));

  it('undo of a draft in the trash first says that it is in the trash', () =>
    withTools(async (run) => {
      await run('delete_content', { ref: 'Team' });
      await expect(run('undo', { ref: 'team', revision: 0 })).rejects.toThrow(
        /^"Team" is in the trash: restore it first\.$/,
      );
      await expect(run('undo', { ref: 'team', revision: 0 })).rejects.toThrow(NotFoundError);
    }));

  it('undo reverts only what it is given', () =>
    withTools(async (run, site) => {
      const { changeId } = await run('update_content', { ref: 'home', title: 'Start' });
      await run('update_content', { ref: 'home', author: 'Ada' });
      await run('update_content', { ref: 'team', title: 'People' });
      // Of which entry is not said: the newest change is another one's.
      await expect(run('undo', { revision: 1 })).rejects.toThrow(InvalidInputError);
      const named = { ref: 'home', changeId: changeId ?? '' };
      for (const other of [
        { ref: 'people', changeId: changeId ?? '' },
        { ref: 'people', changeId: changeId ?? '', revision: 1 },
      ]) {
        await expect(run('undo', other)).rejects.toThrow(/is a change of "Start", and ref names something else/);
        await expect(findTool('undo')?.effect?.(other, { content: site, origin })).rejects.toThrow(InvalidInputError);
      }
      expect(await findTool('undo')?.asks?.(named, { content: site, origin })).toBe(false);
      expect(await run('undo', named)).toMatchObject({ action: 'undo', now: [{ in: 'title', text: 'Home' }] });
      expect((await site.get('home')).draft).toMatchObject({ title: 'Home', author: 'Ada' });
      expect((await site.get('people')).draft.title).toBe('People');
    }));

  it('undo shows what comes back from the trash to a revision, however much lies above it', () =>
    withTools(async (run, site) => {
      const user = { actor: 'user' } as const;
      const { id } = await site.get('home');
      await site.publish(id, user);
      await site.patch(id, [{ op: 'set', field: 'title', value: 'Start' }], user);
      await site.trash(id, user);
      for (let index = 0; index < 100; index += 1) {
        const { entry } = await site.create({ type: 'post', title: `Old ${index}` }, user);
        await site.trash(entry.id, user);
      }
      const context = { content: site, origin: user };
      const input = { ref: id, revision: 1 };
      expect(await findTool('undo')?.asks?.(input, context)).toBe(true);
      expect(await findTool('undo')?.effect?.(input, context)).toMatchObject({
        summary: expect.stringContaining('onto the site'),
        targets: [{ id, revision: 4 }],
        changes: [{ field: 'title', before: 'Start', after: 'Home' }],
      });
      expect(await run('undo', { ref: id })).toMatchObject({ id, title: 'Start' });
    }));

  it('list_revisions shows the effect of one change', () =>
    withTools(async (run) => {
      const { changeId } = await run('update_content', { ref: 'home', title: 'Renamed' });
      expect(await run('list_revisions', { changeId: changeId ?? '' })).toMatchObject({
        changeId,
        fields: [{ field: 'title', kind: 'changed', after: 'Renamed' }],
      });
    }));

  it('update_content says that a published address moves at the next publication', () =>
    withTools(async (run) => {
      await run('create_content', { type: 'page', title: 'Prices' });
      expect(await run('update_content', { ref: 'prices', slug: 'tariffs' })).not.toHaveProperty('address');
      await run('publish_content', { ref: 'tariffs' });
      const moved = await run('update_content', { ref: 'tariffs', slug: 'fees' });
      expect(moved).toMatchObject({
        status: 'changed',
        statusMeans: expect.stringMatching(/^published; the draft has newer edits/),
        address: expect.stringMatching(/at \/tariffs until it is published; then at \/fees\. \/tariffs then leads on/),
      });
      expect(await run('list_content', { type: 'page' })).toMatchObject({
        statuses: expect.stringMatching(/^changed: published; the draft/),
      });
      await run('publish_content', { ref: 'fees' });
      expect(await run('update_content', { ref: 'fees', title: 'Fees' })).not.toHaveProperty('address');
    }));

  it('list_revisions lists the changes of this conversation or of all users, with visibility', () =>
    withTools(async (run, site) => {
      await run('update_content', { ref: 'home', title: 'Start' });
      await run('publish_content', { ref: 'home' });
      await run('update_content', { ref: 'home', excerpt: 'Fresh.' });
      await run('set_settings', { tagline: 'Bread' });
      await run('undo');
      const lines = async (input: Result) => (await run('list_revisions', input)).changes as string[];
      // What was done and undone is one line, with the id that undoes the undo.
      expect(await lines({})).toEqual([
        expect.stringMatching(
          /^chg_\w+, settings revision 1, \d{4}-\d\d-\d\dT\d\d:\d\d[-+]\d\d:\d\d, undone by chg_\w+: Changed the tagline .*$/,
        ),
        expect.stringMatching(
          /^chg_\w+, pag_\w+ revision 4, [-0-9]+T[0-9:]{5}[-+][0-9:]{5}, draft: Changed the short description of "Start"$/,
        ),
        expect.stringMatching(/revision 3, [-0-9]+T[0-9:]{5}[-+][0-9:]{5}, visitors see it: Published/),
        expect.stringMatching(/revision 2, [-0-9]+T[0-9:]{5}[-+][0-9:]{5}, visitors see it: /),
      ]);
      expect(await run('list_revisions', { ref: 'team' })).toMatchObject({
        changes: [],
        note: expect.stringContaining('everybody') as string,
      });
      expect(await run('list_revisions', { limit: 4 })).toMatchObject({
        note: 'There may be older ones: limit 50. Of this conversation alone; with everybody true, of all.',
      });
      expect(await lines({ ref: 'Start', everybody: true, limit: 50 })).toHaveLength(4);
      expect(await lines({ ref: 'team', everybody: true })).toEqual([expect.stringMatching(/by seed, draft: /)]);
      expect(await lines({ ref: 'settings' })).toHaveLength(1);
      await site.setStandingInstructions({ voice: 'Plain.', glossary: [], rules: [] }, { actor: 'user' });
      expect(await lines({ ref: 'standing-instructions', everybody: true })).toEqual([
        expect.stringContaining('by user, in effect: '),
      ]);
    }));

  it('results contain the next likely facts: address, order of sections, target of the menu', () =>
    withTools(async (run) => {
      await run('create_content', { type: 'page', title: 'Oven', parent: 'home' });
      expect(await run('publish_content', { ref: 'home' })).toMatchObject({ address: '/' });
      expect(await run('publish_content', { ref: 'oven' })).toMatchObject({ address: '/oven' });
      const added = await run('add_section', { ref: 'home', type: 'faq', position: 2 });
      expect(added.order).toEqual([
        expect.stringMatching(/^sec_\w+ hero$/),
        expect.stringMatching(/^sec_\w+ faq$/),
        expect.stringMatching(/^sec_\w+ text$/),
      ]);
      const items = [
        { label: 'Oven', href: '/oven' },
        { label: 'Blog', href: '/blog' },
        { label: 'About', href: '#', children: [{ label: 'Team', href: '/team' }] },
        { label: 'Gone', href: '/gone' },
      ];
      expect(await run('set_navigation', { items })).toMatchObject({
        live: 'It applies at once.',
        siteNotes: [
          'Team (/team) leads visitors nowhere: "Team" is a draft.',
          'Gone (/gone) leads visitors nowhere: there is no such page.',
        ],
      });
    }));
});

describe('what a site made of a write', () => {
  it('is reported to the model if it differs from the request', () => {
    const notes = ['WordPress gave it the slug "kiln-2": "kiln" is taken there.'];
    expect(notesResult({ notes })).toEqual({ siteNotes: notes });
    expect(notesResult({})).toEqual({});
    const change = { id: 'chg_bcdfgh', slug: null, notes } as unknown as ChangeSet;
    expect(changeResult(change)).toMatchObject({ changeId: 'chg_bcdfgh', siteNotes: notes });
  });
});
