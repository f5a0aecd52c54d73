import { beforeEach, expect, test } from 'vitest';
import { here, reportOpenPage } from '#components/workspace/current-view.ts';
import { choose, chooseOn, chooseText, getChosen, setOpenPage } from '#components/editor/model/selection.ts';
import type { Section } from '#server/core/site/content';

const hero: Section = { id: 'sec_hero', type: 'hero', fields: { heading: 'Bread' } };
const text: Section = { id: 'sec_text', type: 'text', fields: { body: 'We bake at night.' } };
const about = { path: '/about', entryId: 'pag_about', sections: [hero, text] };
const menu = { path: '/menu', entryId: 'pag_menu', sections: [{ ...text, id: 'sec_menu' }] };

beforeEach(() => {
  setOpenPage(about);
  setOpenPage(null);
  reportOpenPage({ path: '/about', state: 'draft' });
});

test('a selection goes with messages while its page is open, and no longer', () => {
  setOpenPage(about);
  choose('sec_text');
  chooseText('  at night ');
  expect(getChosen()).toMatchObject({ kind: 'text', name: 'We bake at night.', text: 'at night' });
  expect(here()).toMatchObject({
    preview: { path: '/about', state: 'draft', section: 'sec_text' },
    selection: { text: 'at night', source: '/about' },
  });
  reportOpenPage({ path: '/menu', state: 'draft' });
  expect(here().preview).toEqual({ path: '/menu', state: 'draft' });
  expect(here()).not.toHaveProperty('selection');
  setOpenPage(menu);
  expect(getChosen()).toBeNull();
  setOpenPage(about);
  expect(getChosen()).toBeNull();
});

test('a click before the page is known counts, and so does a section that is about to be there', () => {
  choose('sec_text');
  expect(getChosen()).toBeNull();
  setOpenPage(about);
  expect(getChosen()?.sectionId).toBe('sec_text');
  choose('sec_new');
  expect(getChosen()).toBeNull();
  setOpenPage({ ...about, sections: [...about.sections, { ...text, id: 'sec_new' }] });
  expect(getChosen()?.sectionId).toBe('sec_new');
});

test('another section lets go of the selected words; a section of a page to come waits for it', () => {
  setOpenPage(about);
  choose('sec_text');
  chooseText('at night');
  choose('sec_hero');
  expect(getChosen()?.text).toBeNull();
  chooseOn('/menu', 'sec_menu');
  expect(getChosen()?.sectionId).toBe('sec_hero');
  setOpenPage(menu);
  expect(getChosen()?.sectionId).toBe('sec_menu');
});
