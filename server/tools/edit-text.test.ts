import { describe, expect, it } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { partsOf, Site } from '#server/site/site';
import { ConflictError, InvalidInputError, ToolError } from '#server/core/errors';
import { findTool } from '#server/tools/index';
import type { ToolContext } from '#server/tools/tool';
import { type RunTool, toolOrigin, withToolsOf } from '#tests/support/run-tools';

const seed = { actor: 'seed' } as const;

/** A bakery whose workshop costs €48 in seven places of three drafts. */
async function withPrices(test: (run: RunTool, site: ContentBackend) => Promise<void>): Promise<void> {
  await withToolsOf(async (run, site) => {
    await site.create(
      {
        type: 'page',
        title: 'Workshops from €48',
        slug: 'workshops',
        excerpt: 'A day at the oven for €48.',
        seo: { description: 'Baking for €48' },
        sections: [
          { type: 'hero', fields: { heading: 'Bake', ctaLabel: 'Book (€48)', ctaHref: '/book' } },
          { type: 'faq', fields: { items: [{ question: 'How much?', answer: '€48, or €480 for ten.' }] } },
        ],
      },
      seed,
    );
    await site.create(
      {
        type: 'page',
        title: 'Prices',
        sections: [{ type: 'text', fields: { body: 'Workshop: **€48**. [Book](/book)' } }],
      },
      seed,
    );
    await site.create(
      { type: 'post', title: 'News', sections: [{ type: 'text', fields: { body: 'Only €48 !' } }] },
      seed,
    );
    await test(run, site);
  });
}

const textOf = async (site: ContentBackend) =>
  JSON.stringify(await Promise.all(['workshops', 'prices', 'news'].map(async (ref) => (await site.get(ref)).draft)));

describe('edit_text', () => {
  it('replaces one price in all its places with one call, and one undo takes it back', () =>
    withPrices(async (run, site) => {
      const before = await textOf(site);
      const rehearsed = await run('edit_text', { find: '€48', replace: '€52', dryRun: true });
      expect(rehearsed).toMatchObject({ places: 8, note: expect.stringContaining('count 8') });
      expect(await textOf(site)).toBe(before);

      const done = await run('edit_text', { find: '€48', replace: '€52', count: 8 });
      expect(done).toMatchObject({ replaced: 8, changeId: expect.stringMatching(/^chg_/) });
      expect(await textOf(site)).toBe(before.replaceAll('€48', '€52'));
      const [change, ...others] = await site.changes({ sessionId: 'ses_1' });
      expect(others).toHaveLength(2);
      expect(change?.summary).toBe('Replaced "€48" with "€52" in "News" (1 place; and in 2 other drafts)');

      const undone = await run('undo');
      expect(undone).toMatchObject({ together: [{ title: expect.any(String) }, { title: expect.any(String) }] });
      expect(await textOf(site)).toBe(before);
      await expect(run('undo')).rejects.toThrow('nothing to undo');
    }));

  it('explains `changed` once for any number of drafts', () =>
    withPrices(async (run, site) => {
      for (const ref of ['workshops', 'prices']) await site.publish((await site.get(ref)).id, seed);
      const done = await run('edit_text', { find: '€48', replace: '€52', all: true });
      expect(done).toMatchObject({ statuses: expect.stringMatching(/^changed: published; the draft/) as string });
      expect(JSON.stringify(done).match(/the draft has newer edits/g)).toHaveLength(1);
    }));

  it('of long texts names what differs, and so does the undo', () =>
    withToolsOf(async (run, site) => {
      const start = 'The fault is small and sits on the outside, where you can see and feel it. ';
      const body = `${start.repeat(8)}It costs €48 today.`;
      await site.create({ type: 'page', title: 'Seconds', sections: [{ type: 'text', fields: { body } }] }, seed);
      await run('edit_text', { find: `${start}It costs €48`, replace: `${start}It costs €52` });
      const undone = await run('undo');
      expect((await site.changes({ sessionId: 'ses_1' })).at(-1)?.summary).toBe(
        'Replaced "…feel it. It costs €48" with "…feel it. It costs €52" in "Seconds" (1 place)',
      );
      expect(undone).toMatchObject({ now: [{ text: '…outside, where you can see and feel it. It costs €48 today.' }] });
    }));

  it('reverts nothing if one of the drafts was changed there since', () =>
    withPrices(async (run, site) => {
      await run('edit_text', { find: '€48', replace: '€52', all: true });
      const { id } = await site.get('workshops');
      await site.patch(id, [{ op: 'set', field: 'title', value: 'Workshops' }], { actor: 'user' });
      const edited = await textOf(site);
      await expect(run('undo')).rejects.toThrow(ConflictError);
      expect(await textOf(site)).toBe(edited);
    }));

  it('replaces nothing if one of the drafts changed while the texts were read', () =>
    withPrices(async (run, site) => {
      const patchAll = site.patchAll.bind(site);
      site.patchAll = async (...given) => {
        await site.patch((await site.get('news')).id, [{ op: 'set', field: 'title', value: 'Meanwhile' }], seed);
        return patchAll(...given);
      };
      const before = (await site.get('prices')).draft;
      await expect(run('edit_text', { find: '€48', replace: '€52', all: true })).rejects.toThrow(ConflictError);
      expect((await site.get('prices')).draft).toEqual(before);
    }));

  it('answers with the exact lines of a list, so that they are found again', () =>
    withPrices(async (run) => {
      const body = '- Monday: 9\n- Thursday: 14\n- Friday: 14';
      await run('create_content', { type: 'page', title: 'Hours', sections: [{ type: 'text', fields: { body } }] });
      const done = await run('edit_text', { find: 'Thursday: 14', replace: 'Thursday: 15', refs: ['hours'] });
      const text = body.replace('Thursday: 14', 'Thursday: 15');
      expect(done).toMatchObject({ entries: [{ reads: [{ text }] }] });
      expect(await run('edit_text', { find: text, replace: '- Daily: 9', refs: ['hours'] })).toMatchObject({
        replaced: 1,
      });
    }));

  it('answers with how each place reads now, briefly, and names its one change once', () =>
    withPrices(async (run, site) => {
      const done = await run('edit_text', { find: '€48', replace: '€52', count: 2, refs: ['prices', 'news'] });
      const [prices, news] = await Promise.all([site.get('prices'), site.get('news')]);
      const inText = (sectionId: string | undefined, text: string) => [{ in: 'text › body', sectionId, text }];
      expect(done).toEqual({
        replaced: 2,
        entries: [
          {
            id: prices.id,
            title: 'Prices',
            slug: 'prices',
            status: 'draft',
            reads: inText(prices.draft.sections[0]?.id, 'Workshop: **€52**. [Book](/book)'),
          },
          {
            id: news.id,
            title: 'News',
            slug: 'news',
            status: 'draft',
            reads: inText(news.draft.sections[0]?.id, 'Only €52 !'),
          },
        ],
        changeId: expect.stringMatching(/^chg_/) as string,
        note: 'undo takes all of it back.',
      });
      const cut = await run('edit_text', { find: 'Only ', replace: '' });
      expect(cut).toMatchObject({ entries: [{ reads: [{ in: 'text › body', text: '€52 !' }] }] });
      const joined = await run('edit_text', { find: ': **€', replace: '' });
      expect(joined).toMatchObject({
        entries: [{ reads: [{ text: 'Workshop52**. [Book](/book)', partOf: 'Workshop52' }] }],
      });
      const long = await run('edit_text', { find: '€52 !', replace: `Begin ${'words '.repeat(500)}end.` });
      const { entries } = long as unknown as { entries: { reads: { text: string }[] }[] };
      expect(entries[0]?.reads[0]?.text).toMatch(/^Begin words .* … .*words end\.$/);
      expect(JSON.stringify(long).length).toBeLessThan(500);
    }));

  it('is refused with the places if the text occurs more often than expected', () =>
    withPrices(async (run, site) => {
      const before = await textOf(site);
      const act = run('edit_text', { find: '€48', replace: '€52', refs: ['workshops'] });
      await expect(act).rejects.toThrow(ToolError);
      await expect(act).rejects.toThrow(
        /6 places, not 1\. .*title.*excerpt.*seo › description.*FAQ section, items 1 › answer \(2, in "€480"\)/,
      );
      await expect(run('edit_text', { find: '€48', replace: '€52', count: 3 })).rejects.toThrow('8 places, not 3');
      await expect(run('edit_text', { find: '€48', replace: '€48' })).rejects.toThrow(InvalidInputError);
      expect(await textOf(site)).toBe(before);
    }));

  it('replaces through other spaces and marks, and lists places where a mark runs through', () =>
    withPrices(async (run, site) => {
      const body = 'From **€**48 a day.';
      const { entry } = await site.create(
        { type: 'page', title: 'Cut', sections: [{ type: 'text', fields: { body } }] },
        seed,
      );
      await site.create({ type: 'page', title: 'Wide', excerpt: 'only\u00a0€48', sections: [] }, seed);
      const place = {
        id: entry.id,
        title: 'Cut',
        in: 'text › body',
        sectionId: entry.draft.sections[0]?.id,
        text: body,
      };
      const input = { find: 'only €48', replace: 'only €52', dryRun: true };
      expect(await run('edit_text', input)).toMatchObject({ places: 1, entries: [{ title: 'Wide' }] });
      const done = await run('edit_text', { find: '€48', replace: 'free', all: true });
      expect(done).toMatchObject({ replaced: 9, notReplaced: { total: 1, places: [place] } });
      expect((await site.get('cut')).draft.sections[0]?.fields).toEqual({ body });
      expect((await site.get('wide')).draft.excerpt).toBe('only\u00a0free');
      await expect(run('edit_text', { find: '€48', replace: 'free' })).rejects.toThrow(`"${body}" in "Cut"`);
      expect(await run('search_content', { query: '€48', exact: true })).toMatchObject({ total: 1 });
    }));

  it('is refused with similar texts if the text does not occur', () =>
    withPrices(async (run) => {
      await expect(run('edit_text', { find: 'a DAY at the  oven', replace: 'x' })).rejects.toThrow(
        '"A day at the oven" in "Workshops from €48"',
      );
      await expect(run('edit_text', { find: 'only €48!', replace: 'x', refs: ['news'] })).rejects.toThrow(
        /stand in "news"/,
      );
      await expect(run('edit_text', { find: 'croissants', replace: 'x', dryRun: true })).rejects.toThrow(/no draft/);
    }));

  it('tells where it is a part of a longer word or number, and can leave those out', () =>
    withPrices(async (run, site) => {
      const rehearsed = await run('edit_text', { find: '€48', replace: '€52', refs: ['workshops'], dryRun: true });
      expect(JSON.stringify(rehearsed)).toContain('"times":2,"text":"€48, or €480 for ten.","partOf":"€480"');
      await run('edit_text', { find: '€48', replace: '€52', wholeWords: true, count: 7 });
      expect(JSON.stringify((await site.get('workshops')).draft)).toContain('€52, or €480 for ten.');
    }));

  it('edits one section alone, and addresses only as a whole', () =>
    withPrices(async (run, site) => {
      const faq = (await site.get('workshops')).draft.sections[1]!;
      await run('edit_text', { find: '€48,', replace: '€52,', refs: [faq.id] });
      expect((await site.get('workshops')).draft.sections[1]?.fields).toEqual({
        items: [{ question: 'How much?', answer: '€52, or €480 for ten.' }],
      });
      await expect(run('edit_text', { find: '/boo', replace: '/x', refs: ['workshops'] })).rejects.toThrow(ToolError);
      await run('edit_text', { find: '/book', replace: '/booking', count: 2 });
      expect(await textOf(site)).toMatch(/"ctaHref":"\/booking".*\[Book\]\(\/booking\)/);
      expect((await site.get('workshops')).draft.slug).toBe('workshops');
    }));

  it('says where visitors, the menu and the settings still have the old text', () =>
    withPrices(async (run, site) => {
      await site.publish((await site.get('prices')).id, seed);
      await site.setNavigation([{ label: 'Workshop €48', href: '/workshops' }], seed);
      await site.updateSettings({ footerText: 'From €48' }, seed);
      expect(await run('edit_text', { find: '€48', replace: '€52', all: true })).toMatchObject({
        visitorsStillSeeItIn: ['Prices'],
        inMenu: ['Workshop €48 (/workshops)'],
        inSettings: ['footerText'],
        notChanged: expect.stringMatching(/menu, which edit_text leaves.*set_navigation.*set_settings/) as string,
      });
    }));

  it('counts no page as behind whose draft has the text too', () =>
    withPrices(async (run, site) => {
      for (const ref of ['prices', 'workshops']) await site.publish((await site.get(ref)).id, seed);
      const input = { find: '€48', replace: '€52', refs: ['prices'] };
      const rehearsed = await run('edit_text', { ...input, dryRun: true });
      expect(rehearsed).toMatchObject({ visitorsStillSeeItIn: ['Prices'] });
      expect(await run('edit_text', input)).toMatchObject({ visitorsStillSeeItIn: ['Prices'] });
    }));

  it('looks for whole words there too', () =>
    withPrices(async (run, site) => {
      await site.publish((await site.get('workshops')).id, seed);
      await site.setNavigation([{ label: 'From €480', href: '/workshops' }], seed);
      const input = { find: '€4', replace: '€5', wholeWords: true, dryRun: true };
      await run('edit_text', { find: 'Only €48', replace: 'Only €4' });
      const rehearsed = await run('edit_text', input);
      expect(rehearsed).toMatchObject({ places: 1 });
      expect(rehearsed).not.toHaveProperty('visitorsStillSeeItIn');
      expect(rehearsed).not.toHaveProperty('inMenu');
    }));

  it('shows before it runs all it would change, and writes nothing', () =>
    withPrices(async (_, site) => {
      const before = await textOf(site);
      const tool = findTool('edit_text')!;
      const input = tool.input.parse({ find: '€48', replace: '€52', all: true });
      const effect = await tool.effect!(input, { content: site, origin: toolOrigin });
      expect(effect.targets).toHaveLength(3);
      expect(effect.changes).toContainEqual(
        expect.objectContaining({ field: 'News › text section › body', after: 'Only €52 !' }),
      );
      expect(tool.changesSeveral?.(input)).toBe(true);
      expect(await textOf(site)).toBe(before);
    }));

  it('changes the other entries where one cannot be changed, and names that one before and after', () =>
    withPrices(async (_, site) => {
      const built = (await site.get('prices')).id;
      const refusal = new InvalidInputError('"Prices" is made with Elementor: it can only be changed there.');
      const patch: ContentBackend['patch'] = (id, ...rest) =>
        id === built ? Promise.reject(refusal) : site.patch(id, ...rest);
      const patchAll: ContentBackend['patchAll'] = (patches, ...rest) =>
        patches.some(({ entryId }) => entryId === built) ? Promise.reject(refusal) : site.patchAll(patches, ...rest);
      const content = Object.assign(new Site(() => partsOf(site)), { patch, patchAll });
      const tool = findTool('edit_text')!;
      const context = { content, origin: toolOrigin } as unknown as ToolContext;
      const call = async (input: object) => tool.execute(tool.input.parse(input), context);
      const notChanged = [{ id: built, title: 'Prices', reason: refusal.message }];
      const input = { find: '€48', replace: '€52' };

      expect(await call({ ...input, dryRun: true })).toMatchObject({ places: 8, notChanged });
      const effect = await tool.effect!(tool.input.parse({ ...input, count: 8 }), context);
      expect(effect.targets.map(({ title }) => title)).toEqual(expect.not.arrayContaining(['Prices']));
      expect(effect.warnings).toEqual([`"Prices" is not changed. ${refusal.message}`]);
      expect(await call({ ...input, count: 8 })).toMatchObject({ replaced: 7, notChanged });
      expect((await textOf(site)).match(/€48/g)).toHaveLength(1);
      await expect(call({ ...input, count: 1 })).rejects.toThrow(refusal);
    }));

  it('accepts more than twenty references', () =>
    withToolsOf(async (run, site) => {
      const refs: string[] = [];
      for (let n = 0; n < 24; n += 1) {
        const sections = [{ type: 'text' as const, fields: { body: 'Call 123' } }];
        refs.push((await site.create({ type: 'page', title: `Page ${n}`, sections }, seed)).entry.id);
      }
      expect(await run('edit_text', { find: '123', replace: '456', refs, count: 24 })).toMatchObject({ replaced: 24 });
      const tool = findTool('publish_content')!;
      const effect = await tool.effect!(tool.input.parse({ refs }), { content: site, origin: toolOrigin });
      expect([effect.targets.length, effect.changes.length > 24]).toEqual([24, true]);
      const twice = [...refs, refs[0]!];
      expect((await run('publish_content', { refs: twice }))['published']).toHaveLength(24);
      // What is published already stops no other.
      await run('edit_text', { find: '456', replace: '789', refs: refs.slice(1), all: true });
      const again = await tool.effect!(tool.input.parse({ refs }), { content: site, origin: toolOrigin });
      expect(again.warnings).toContainEqual(expect.stringContaining('Not "Page 0": '));
      expect(again.targets).toHaveLength(23);
      expect(await run('publish_content', { refs })).toMatchObject({ published: expect.any(Array) as unknown });
      expect((await site.get(refs[5]!)).published?.sections[0]?.fields).toEqual({ body: 'Call 789' });
      await expect(run('publish_content', {})).rejects.toThrow('ref, or refs');
    }));
});

describe('search_content', () => {
  it('finds exact text with punctuation, counts it, and lists the searched places', () =>
    withPrices(async (run, site) => {
      await site.publish((await site.get('prices')).id, seed);
      await run('edit_text', { find: '**€48**', replace: '**€50**' });
      const found = await run('search_content', { query: '€48', exact: true });
      expect(found).toMatchObject({
        looked: expect.stringMatching(
          /titles.*sections.*drafts and published; their addresses; labels and addresses of the menu; settings/,
        ) as string,
        placesInDrafts: 7,
        placesOnlyVisitorsSee: 1,
        total: 3,
        hits: [
          { slug: 'workshops', times: 6 },
          {
            slug: 'prices',
            status: 'changed',
            times: 0,
            places: [{ in: 'text › body, as visitors see it', text: 'Workshop: **€48**. [Book](/book)' }],
          },
          { slug: 'news', times: 1, places: [{ in: 'text › body', text: 'Only €48 !' }] },
        ],
      });
      expect(await run('search_content', { query: '€48 .', exact: true })).toMatchObject({
        placesInDrafts: 0,
        hits: [],
      });
      expect(await run('search_content', { query: '€48', exact: true, type: 'post' })).toMatchObject({ total: 1 });
    }));

  it('lists separately what only visitors see, and once what reads the same in both', () =>
    withToolsOf(async (run, site) => {
      const { entry } = await site.create(
        { type: 'page', title: 'April sale', excerpt: 'On 4 and 5 April.', tags: ['April'] },
        seed,
      );
      await site.publish(entry.id, seed);
      expect(await run('search_content', { query: 'April', exact: true })).not.toHaveProperty('placesOnlyVisitorsSee');
      const tags = ['New', 'April'];
      await site.patch(entry.id, [{ op: 'set', field: 'tags', value: tags }], seed);
      await run('edit_text', { find: '4 and 5 April', replace: '11 and 12 April' });
      const found = await run<{ hits: unknown[] }>('search_content', { query: 'April', exact: true });
      expect(found).toMatchObject({ placesInDrafts: 3, placesOnlyVisitorsSee: 1, total: 1 });
      expect(found.hits).toMatchObject([
        {
          times: 3,
          places: [
            { in: 'title', text: 'April sale' },
            { in: 'excerpt', text: 'On 11 and 12 April.' },
            { in: 'tags 2', text: 'April' },
            { in: 'excerpt, as visitors see it', text: 'On 4 and 5 April.' },
          ],
        },
      ]);
    }));

  it('counts places with other case separately', () =>
    withPrices(async (run, site) => {
      await site.create({ type: 'page', title: 'BAKE a workshop', excerpt: 'Workshop, workshop.' }, seed);
      expect(await run('search_content', { query: 'workshop', exact: true })).toMatchObject({
        placesInDrafts: 2,
        total: 1,
        otherCapitals: '3 places more, in "Workshops from €48", "Prices", "BAKE a workshop"',
      });
      expect(await run('search_content', { query: 'WORKSHOP', exact: true })).toMatchObject({
        placesInDrafts: 0,
        hits: [],
      });
      expect(await run('search_content', { query: '€48', exact: true })).not.toHaveProperty('otherCapitals');
    }));

  it('names places with other capitals that edit_text leaves, before and after it replaces', () =>
    withPrices(async (run, site) => {
      await site.create({ type: 'page', title: 'only a title' }, seed);
      const otherCapitals = '1 place more, in "only a title"';
      const input = { find: 'Only', replace: 'Just' };
      expect(await run('edit_text', { ...input, dryRun: true })).toMatchObject({ places: 1, otherCapitals });
      expect(await run('edit_text', input)).toMatchObject({ replaced: 1, otherCapitals });
    }));

  it('does not count what it just replaced among the places with other capitals', () =>
    withPrices(async (run) => {
      const done = await run('edit_text', { find: 'Only', replace: 'ONLY' });
      expect(done).toMatchObject({ replaced: 1 });
      expect(done).not.toHaveProperty('otherCapitals');
    }));

  it('finds part of an address in the menu, in drafts and in published versions', () =>
    withPrices(async (run, site) => {
      const { id } = await site.get('workshops');
      await site.publish(id, seed);
      await site.patch(id, [{ op: 'set', field: 'slug', value: 'courses' }], seed);
      await site.setNavigation([{ label: 'Learn', href: '/workshops#dates' }], seed);
      const found = await run('search_content', { query: 'workshops', exact: true });
      expect(found).toMatchObject({
        placesInDrafts: 0,
        inAddressOf: ['"Workshops from €48" (/workshops, as visitors know it)'],
        inMenu: ['Learn (/workshops#dates)'],
      });
      expect(await run('search_content', { query: '/courses', exact: true })).toMatchObject({
        inAddressOf: ['"Workshops from €48" (/courses, from its next publishing on)'],
      });
    }));

  it('finds a part of an address, which edit_text replaces only whole, and says how', () =>
    withToolsOf(async (run, site) => {
      const src = '/images/studio-door.svg';
      const images = [{ src, alt: 'A door' }];
      await site.create(
        { type: 'page', title: 'Rooms', image: src, sections: [{ type: 'gallery', fields: { images } }] },
        seed,
      );
      const found = await run('search_content', { query: 'studio-door.svg', exact: true });
      expect(found).toMatchObject({
        looked: expect.stringContaining('links and pictures') as string,
        placesInDrafts: 2,
        hits: [
          {
            places: [
              { in: 'image', partOf: src },
              { in: 'gallery › images 1 › src', partOf: src },
            ],
          },
        ],
        note: expect.stringContaining('only whole') as string,
      });
      expect(await run('search_content', { query: src, exact: true })).not.toHaveProperty('note');
      await expect(run('edit_text', { find: 'studio-door.svg', replace: 'kiln.svg', all: true })).rejects.toThrow(
        `Like it: "${src}" in "Rooms". Take the text as it stands.`,
      );
      expect(await run('edit_text', { find: src, replace: '/images/kiln.svg', all: true })).toMatchObject({
        replaced: 2,
      });
    }));

  it('counts the entries with the words, also those it does not list', () =>
    withToolsOf(async (run, site) => {
      for (let index = 0; index < 12; index += 1) {
        await site.create({ type: 'post', title: `Bread ${index}` }, seed);
      }
      expect(await run('search_content', { query: 'bread' })).toMatchObject({
        looked: expect.stringContaining('drafts of all pages and posts') as string,
        total: 12,
        more: 2,
      });
    }));
});
