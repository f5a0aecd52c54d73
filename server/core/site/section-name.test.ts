import { expect, test } from 'vitest';
import { sectionName } from '#server/core/site/section-name';

test('a section is named by its heading, or else by its first words without their marks', () => {
  expect(sectionName({ fields: { body: 'Words', heading: 'Opening hours' } })).toBe('Opening hours');
  expect(sectionName({ fields: { body: '## We **fire**\n\n- at [1,260 °C](/kilns)' } })).toBe('We fire at 1,260 °C');
  expect(sectionName({ fields: { html: '<div class="x">\n <p>From <b>elsewhere</b></p></div>' } })).toBe(
    'From elsewhere',
  );
  expect(sectionName({ fields: { items: [{ question: 'When?', answer: 'Now.' }] } })).toBe('When?');
  expect(sectionName({ fields: { images: [{ src: '/media/a.jpg', alt: 'A bowl' }] } })).toBe('A bowl');
});

test('a long name is cut, and a section without words has none', () => {
  expect(sectionName({ fields: { heading: 'clay '.repeat(40) } })).toMatch(/^clay .{50,54}…$/);
  expect(sectionName({ fields: { count: 3 } })).toBe('');
  expect(sectionName({ fields: { heading: '', items: [] } })).toBe('');
});
