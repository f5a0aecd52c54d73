import { expect, it } from 'vitest';
import { pictureChanges, pictureDraftOf, rebasedDraft } from '#components/library/picture-draft.ts';

const kiln = { alt: '', filename: 'kiln.png', tags: ['clay', 'fire'] };

it('sends only changed fields, and no empty name', () => {
  const draft = pictureDraftOf(kiln);
  expect(pictureChanges(draft, kiln)).toEqual({});
  expect(pictureChanges({ alt: ' A kiln', filename: ' ', tags: 'clay,, fire ' }, kiln)).toEqual({ alt: ' A kiln' });
  expect(pictureChanges({ ...draft, tags: 'clay' }, kiln)).toEqual({ tags: ['clay'] });
});

it('keeps typed text while the rest is saved, also if it equals the former value', () => {
  const sent = { ...pictureDraftOf(kiln), alt: 'A kiln ', tags: 'clay' };
  const saved = { ...kiln, alt: 'A kiln', tags: ['clay'] };
  expect(rebasedDraft(sent, sent, saved)).toEqual({ alt: 'A kiln', filename: 'kiln.png', tags: 'clay' });
  const now = rebasedDraft({ ...sent, alt: 'A kiln at dawn', tags: 'clay, fire' }, sent, saved);
  expect(now).toEqual({ alt: 'A kiln at dawn', filename: 'kiln.png', tags: 'clay, fire' });
  expect(pictureChanges(now, saved)).toEqual({ alt: 'A kiln at dawn', tags: ['clay', 'fire'] });
});

it('takes changes of others if no text is being typed', () => {
  const typed = { ...pictureDraftOf(kiln), filename: 'oven.png' };
  const elsewhere = { ...kiln, alt: 'A kiln' };
  expect(rebasedDraft(typed, pictureDraftOf(kiln), elsewhere)).toEqual({
    alt: 'A kiln',
    filename: 'oven.png',
    tags: 'clay, fire',
  });
});
