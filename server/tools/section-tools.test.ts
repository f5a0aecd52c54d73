import { describe, expect, it } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { InvalidInputError, ToolError } from '#server/core/errors';
import { type RunTool, withToolsOf } from '#tests/support/run-tools';

const seed = { actor: 'seed' } as const;
const FAQ = ['Do you ship?', 'Are you open?', 'Is it vegan?'].map((question) => ({ question, answer: 'Yes.' }));

async function withFaq(
  test: (edit: (step: Parameters<RunTool>[1]) => ReturnType<RunTool>, site: ContentBackend) => Promise<void>,
): Promise<void> {
  await withToolsOf(async (run, site) => {
    const sections = [{ type: 'faq', fields: { heading: 'Questions', items: FAQ } }] as const;
    const { entry } = await site.create({ type: 'page', title: 'Help', sections }, seed);
    const sectionId = entry.draft.sections[0]?.id ?? '';
    await test((step) => run('edit_items', { sectionId, ...step }), site);
  });
}

const questions = async (site: ContentBackend) => {
  const { items } = (await site.get('help')).draft.sections[0]!.fields as unknown as { items: typeof FAQ };
  return items.map(({ question, answer }) => `${question} ${answer}`);
};
const newest = async (site: ContentBackend) => (await site.changes({ limit: 1 }))[0]?.summary;

describe('edit_items', () => {
  it('adds, changes, moves and removes one item, keeps the others, and the journal describes it', () =>
    withFaq(async (edit, site) => {
      const fields = { question: 'Do you cater?', answer: 'No.' };
      expect(await edit({ op: 'add', fields, position: 1 })).toMatchObject({
        position: 1,
        items: ['1 Do you cater?', '2 Do you ship?', '3 Are you open?', '4 Is it vegan?'],
      });
      expect(await newest(site)).toBe('Added "Do you cater?" to the FAQ section of "Help"');

      await edit({ op: 'change', item: 'are you open?', fields: { answer: 'From nine.' } });
      expect(await newest(site)).toBe('Changed the answer of "Are you open?" in the FAQ section of "Help"');
      await edit({ op: 'move', item: '4', position: 1 });
      expect(await newest(site)).toBe('Moved "Is it vegan?" to place 1 in the FAQ section of "Help"');
      await edit({ op: 'remove', item: 'Do you ship?' });
      expect(await newest(site)).toBe('Removed "Do you ship?" from the FAQ section of "Help"');
      await edit({ op: 'change', item: '2', fields: { question: 'Any catering?' } });
      expect(await newest(site)).toBe('Renamed "Do you cater?" to "Any catering?" in the FAQ section of "Help"');
      expect(await questions(site)).toEqual(['Is it vegan? Yes.', 'Any catering? No.', 'Are you open? From nine.']);
    }));

  it('says of two that change places which one was moved', () =>
    withFaq(async (edit, site) => {
      const did = 'Moved "Is it vegan?" to place 2 in the FAQ section of "Help"';
      expect(await edit({ op: 'move', item: 'Is it vegan?', position: 2 })).toMatchObject({ did, position: 2 });
      expect(await newest(site)).toBe(did);
      expect(await questions(site)).toEqual(['Do you ship? Yes.', 'Is it vegan? Yes.', 'Are you open? Yes.']);
    }));

  it('lists the items if the step names none of them', () =>
    withFaq(async (edit, site) => {
      await expect(edit({ op: 'remove', item: 'Parking?' })).rejects.toThrow(
        'There is no item "Parking?". The items are: 1 "Do you ship?", 2 "Are you open?", 3 "Is it vegan?".',
      );
      await expect(edit({ op: 'remove' })).rejects.toThrow('Say which item.');
      await expect(edit({ op: 'remove', item: '4' })).rejects.toThrow(ToolError);
      await expect(edit({ op: 'move', item: '1' })).rejects.toThrow('new position');
      await expect(edit({ op: 'change', item: '1' })).rejects.toThrow('give its fields');
      await expect(edit({ op: 'add', fields: { question: 'Why?' } })).rejects.toThrow(InvalidInputError);
      expect(await questions(site)).toHaveLength(3);
    }));

  it('is refused for a section without a list', () =>
    withToolsOf(async (run, site) => {
      const { entry } = await site.create(
        { type: 'page', title: 'Home', sections: [{ type: 'hero', fields: {} }] },
        seed,
      );
      const act = run('edit_items', { sectionId: entry.draft.sections[0]?.id ?? '', op: 'remove', item: '1' });
      await expect(act).rejects.toThrow('is a hero section, which has no list: update_section sets its fields.');
    }));
});

it('update_section without a field is refused with the list of fields', () =>
  withToolsOf(async (run, site) => {
    const sections = [{ type: 'hero', fields: { heading: 'Bread' } }] as const;
    const { entry } = await site.create({ type: 'page', title: 'Home', sections }, seed);
    const sectionId = entry.draft.sections[0]?.id ?? '';
    const act = run('update_section', { sectionId, fields: {} });
    await expect(act).rejects.toThrow(
      /^Name at least one field to set\. The fields of hero are: .*heading, subheading\?/,
    );
    expect(await site.changes({})).toHaveLength(1);
  }));

describe('set_navigation', () => {
  it('changes one item, also below another one, and leaves the rest', () =>
    withToolsOf(async (run, site) => {
      await run('set_navigation', {
        items: [
          { label: 'Home', href: '/' },
          { label: 'Bread', href: '/bread', children: [{ label: 'Rye', href: '/rye' }] },
          { label: 'Contact', href: '/contact' },
        ],
      });
      await run('set_navigation', { op: 'add', fields: { label: 'Shop', href: '/shop' }, position: 2 });
      expect(await newest(site)).toBe('Added "Shop" to the menu');
      await run('set_navigation', { op: 'change', item: 'Rye', fields: { href: '/rye-bread' } });
      expect(await newest(site)).toBe('Changed the href of "Rye" in the menu below "Bread"');
      await run('set_navigation', { op: 'move', item: 'Contact', under: 'Bread', position: 1 });
      await run('set_navigation', { op: 'move', item: '3.2', under: '', position: 1 });
      await run('set_navigation', { op: 'move', item: 'Home', under: 'Bread' });
      await run('set_navigation', { op: 'remove', item: 'Shop' });
      expect(await site.navigation()).toEqual([
        { label: 'Rye', href: '/rye-bread' },
        {
          label: 'Bread',
          href: '/bread',
          children: [
            { label: 'Contact', href: '/contact' },
            { label: 'Home', href: '/' },
          ],
        },
      ]);
    }));

  it('lists the items, and refuses both forms of input together', () =>
    withToolsOf(async (run) => {
      await run('set_navigation', { op: 'add', fields: { label: 'Home', href: '/' } });
      await expect(run('set_navigation', { op: 'remove', item: 'Shop' })).rejects.toThrow(
        'The menu has no item "Shop". Its items: 1 "Home".',
      );
      await expect(run('set_navigation', { op: 'move', item: 'Home', under: 'Home' })).rejects.toThrow('below itself');
      await expect(run('set_navigation', { op: 'remove', item: '1', items: [] })).rejects.toThrow(InvalidInputError);
      await expect(run('set_navigation')).rejects.toThrow(InvalidInputError);
    }));
});
