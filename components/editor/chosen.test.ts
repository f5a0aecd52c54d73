import { beforeEach, expect, test } from 'vitest';
import { here, noteOpenPage } from '#components/desk/here';
import { choose, chooseOn, chooseText, getChosen, noteSections } from '#components/editor/chosen';
import type { Section } from '#server/core/content';

const hero: Section = { id: 'sec_hero', type: 'hero', fields: { heading: 'Bread' } };
const text: Section = { id: 'sec_text', type: 'text', fields: { body: 'We bake at night.' } };
const about = { path: '/about', entryId: 'pag_about', sections: [hero, text] };
const menu = { path: '/menu', entryId: 'pag_menu', sections: [{ ...text, id: 'sec_menu' }] };

beforeEach(() => {
  noteSections(about);
  noteSections(null);
  noteOpenPage({ path: '/about', state: 'draft' });
});

test('what is chosen goes with a message while its page is open, and no longer', () => {
  noteSections(about);
  choose('sec_text');
  chooseText('  at night ');
  expect(getChosen()).toMatchObject({ kind: 'text', name: 'We bake at night.', text: 'at night' });
  expect(here()).toMatchObject({
    preview: { path: '/about', state: 'draft', section: 'sec_text' },
    selection: { text: 'at night', source: '/about' },
  });
  noteOpenPage({ path: '/menu', state: 'draft' });
  expect(here().preview).toEqual({ path: '/menu', state: 'draft' });
  expect(here()).not.toHaveProperty('selection');
  noteSections(menu);
  expect(getChosen()).toBeNull();
  noteSections(about);
  expect(getChosen()).toBeNull();
});

test('a click before the page is known counts, and so does a section that is about to be there', () => {
  choose('sec_text');
  expect(getChosen()).toBeNull();
  noteSections(about);
  expect(getChosen()?.sectionId).toBe('sec_text');
  choose('sec_new');
  expect(getChosen()).toBeNull();
  noteSections({ ...about, sections: [...about.sections, { ...text, id: 'sec_new' }] });
  expect(getChosen()?.sectionId).toBe('sec_new');
});

test('another section lets go of the selected words; a section of a page to come waits for it', () => {
  noteSections(about);
  choose('sec_text');
  chooseText('at night');
  choose('sec_hero');
  expect(getChosen()?.text).toBeNull();
  chooseOn('/menu', 'sec_menu');
  expect(getChosen()?.sectionId).toBe('sec_hero');
  noteSections(menu);
  expect(getChosen()?.sectionId).toBe('sec_menu');
});
