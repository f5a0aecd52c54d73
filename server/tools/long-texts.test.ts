import { describe, expect, it } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { InvalidInputError, ToolError } from '#server/core/errors';
import { type RunTool, withToolsOf } from '#tests/support/run-tools';

const seed = { actor: 'seed' } as const;
const BODY = Array.from(
  { length: 1_000 },
  (_, index) => `Sentence ${String(index).padStart(4, '0')} of a long post, with more.`,
)
  .join(' ')
  .slice(0, 40_000);

interface Page {
  readonly sections: readonly { readonly fields: { readonly body: string }; readonly page: PageFacts }[];
}
interface PageFacts {
  readonly left?: number;
  readonly next?: { readonly from: string };
  readonly whole?: string;
}

async function withLongPost(test: (run: RunTool, sectionId: string, site: ContentBackend) => Promise<void>) {
  await withToolsOf(async (run, site) => {
    const sections = [{ type: 'text', fields: { heading: 'Long', body: BODY } }] as const;
    const { entry } = await site.create({ type: 'post', title: 'Long post', sections }, seed);
    await test(run, entry.draft.sections[0]?.id ?? '', site);
  });
}

/** Reads a section as a model does: on and on with `next`. */
async function readToEnd(run: RunTool, ref: string): Promise<{ body: string; whole: string | undefined }> {
  let body = '';
  let from: string | undefined;
  for (;;) {
    const { sections } = await run<Page>('get_content', { ref, ...(from !== undefined && { from }) });
    const [{ fields, page } = { fields: { body: '' }, page: {} as PageFacts }] = sections;
    body += fields.body;
    if (page.next === undefined) return { body, whole: page.whole };
    from = page.next.from;
  }
}

const bodyOf = async (site: ContentBackend) => (await site.get('long-post')).draft.sections[0]?.fields['body'];

describe('a long field', () => {
  it('comes in pages that say how much is left, and together are the whole', () =>
    withLongPost(async (run, sectionId) => {
      const { sections } = await run<Page>('get_content', { ref: 'long-post' });
      expect(sections[0]?.fields.body).toBe(BODY.slice(0, 8_000));
      expect(sections[0]?.page).toMatchObject({ shows: 'characters 0 to 8000 of 40000', left: 32_000 });
      const { body, whole } = await readToEnd(run, sectionId);
      expect(body).toBe(BODY);
      expect(whole).toMatch(/^[0-9a-f]{8}$/);
    }));

  it('is edited in its middle and loses nothing', () =>
    withLongPost(async (run, sectionId, site) => {
      await run('edit_text', { find: 'Sentence 0400 of', replace: 'Sentence four hundred of', refs: [sectionId] });
      expect(await bodyOf(site)).toBe(BODY.replace('Sentence 0400 of', 'Sentence four hundred of'));
    }));

  it('cannot be overwritten by one who has read a part of it', () =>
    withLongPost(async (run, sectionId, site) => {
      const overwrite = (whole?: string) =>
        run('update_section', { sectionId, fields: { body: 'Short.' }, ...(whole !== undefined && { whole }) });
      await expect(overwrite()).rejects.toThrow(ToolError);
      await expect(overwrite()).rejects.toThrow(/40000 characters.*edit_text.*read it to its end/);
      const last = await run<Page>('get_content', { ref: sectionId, from: '36000' });
      expect(last.sections[0]?.page).not.toHaveProperty('whole');
      await expect(overwrite('36000')).rejects.toThrow('not of the present text');
      expect(await bodyOf(site)).toBe(BODY);

      expect(await run('update_section', { sectionId, fields: { heading: 'Longer' } })).toMatchObject({ sectionId });
      const { whole } = await readToEnd(run, sectionId);
      await overwrite(whole);
      expect(await bodyOf(site)).toBe('Short.');
    }));

  it('has another mark once it has changed, and its writer knows the new one', () =>
    withLongPost(async (run, sectionId, site) => {
      const { whole = '' } = await readToEnd(run, sectionId);
      await run('edit_text', { find: 'Sentence 0001', replace: 'Sentence one', refs: [sectionId] });
      await expect(run('update_section', { sectionId, fields: { body: 'x' }, whole })).rejects.toThrow(ToolError);
      const again = await readToEnd(run, sectionId);
      const written = await run<{ whole: string }>('update_section', {
        sectionId,
        fields: { body: `New. ${BODY}` },
        whole: again.whole ?? '',
      });
      await run('update_section', { sectionId, fields: { body: 'Newer.' }, whole: written.whole });
      expect(await bodyOf(site)).toBe('Newer.');
    }));

  it('can be overwritten by its creator, as part of a new page or section', () =>
    withToolsOf(async (run, site) => {
      const fields = { body: BODY };
      const { sections } = await run<{ sections: { id: string; whole?: string }[] }>('create_content', {
        type: 'post',
        title: 'Long post',
        sections: [
          { type: 'text', fields },
          { type: 'text', fields: { body: 'Short.' } },
        ],
      });
      expect(sections[1]).not.toHaveProperty('whole');
      const created = { sectionId: sections[0]?.id ?? '', whole: sections[0]?.whole ?? '' };
      await run('update_section', { ...created, fields: { body: 'Short now.' } });
      expect(await bodyOf(site)).toBe('Short now.');
      const { sectionId, whole } = await run<{ sectionId: string; whole: string }>('add_section', {
        ref: 'long-post',
        type: 'text',
        position: 1,
        fields,
      });
      await run('update_section', { sectionId, whole, fields: { body: 'Shorter.' } });
      expect(await bodyOf(site)).toBe('Shorter.');
    }));

  it('refuses a place that is not there, and a page of a text that has changed', () =>
    withLongPost(async (run, sectionId, site) => {
      const { sections } = await run<Page>('get_content', { ref: sectionId });
      const from = sections[0]?.page.next?.from ?? '';
      const { id } = await site.get('long-post');
      await site.patch(id, [{ op: 'set-section', sectionId, fields: { body: `!${BODY}` } }], { actor: 'user' });
      await expect(run('get_content', { ref: sectionId, from })).rejects.toThrow('has changed since that page');
      for (const wrong of ['40002', '-1', 'x', '1.5']) {
        await expect(run('get_content', { ref: sectionId, from: wrong })).rejects.toThrow(InvalidInputError);
      }
      await expect(run('get_content', { ref: 'long-post', from: '1' })).rejects.toThrow('id of one section');
    }));

  it('of items comes in pages of items', () =>
    withToolsOf(async (run, site) => {
      const items = Array.from({ length: 20 }, (_, index) => ({ question: `Q${index}?`, answer: 'x'.repeat(1_000) }));
      const { entry } = await site.create(
        { type: 'page', title: 'Help', sections: [{ type: 'faq', fields: { items } }] },
        seed,
      );
      const ref = entry.draft.sections[0]?.id ?? '';
      const first = await run('get_content', { ref });
      expect(first).toMatchObject({ sections: [{ page: { shows: 'items 1 to 7 of 20', left: 13 } }] });
      expect(await run('get_content', { ref, from: '15' })).toMatchObject({
        sections: [{ fields: { items: items.slice(14) } }],
      });
      const act = run('update_section', { sectionId: ref, fields: { items: items.slice(0, 7) } });
      await expect(act).rejects.toThrow('edit_items changes single items');
    }));
});

describe('get_content', () => {
  it('reads several entries in one call, and names missing ones', () =>
    withToolsOf(async (run, site) => {
      for (const title of ['One', 'Two']) await site.create({ type: 'page', title }, seed);
      expect(await run('get_content', { refs: ['one', 'two', 'three'] })).toMatchObject({
        entries: [
          { title: 'One', sections: [] },
          { title: 'Two' },
          { ref: 'three', error: expect.stringContaining('three') },
        ],
      });
      await expect(run('get_content')).rejects.toThrow(InvalidInputError);
    }));

  it('shows an outline of many pages: each section by its name and size, none in full', () =>
    withToolsOf(async (run, site) => {
      for (const title of ['One', 'Two']) {
        const fields = { heading: `About ${title}`, body: 'y'.repeat(900) };
        await site.create({ type: 'page', title, sections: [{ type: 'text', fields }] }, seed);
      }
      const read = await run<{ entries: { sections: object[] }[] }>('get_content', {
        refs: ['one', 'two'],
        with: ['outline'],
      });
      expect(read.entries.map(({ sections }) => sections)).toEqual(
        ['One', 'Two'].map((title) => [
          { id: expect.stringMatching(/^sec_/) as string, type: 'text', notShown: `About ${title}, 933 characters` },
        ]),
      );
    }));

  it('names the sections for which there is no room, and shows each by its id', () =>
    withToolsOf(async (run, site) => {
      const sections = Array.from(
        { length: 6 },
        () => ({ type: 'text', fields: { body: 'y'.repeat(7_000) } }) as const,
      );
      await site.create({ type: 'page', title: 'Much', sections }, seed);
      const page = await run<{ sections: { id: string; notShown?: string }[]; note: string }>('get_content', {
        ref: 'much',
      });
      expect(page.sections.map(({ notShown }) => notShown !== undefined)).toEqual([
        false,
        false,
        false,
        true,
        true,
        true,
      ]);
      expect(page.note).toContain('get_content with the id of a section');
      expect(JSON.stringify(page).length).toBeLessThan(30_000);
      const shown = await run('get_content', { ref: page.sections[5]?.id ?? '' });
      expect(shown).toMatchObject({ sections: [{ fields: { body: 'y'.repeat(7_000) } }] });
    }));
});
