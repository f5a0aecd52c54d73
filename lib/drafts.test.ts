import { expect, it, vi } from 'vitest';
import { draftAt, moveDraft, returnToDraft, subscribeToDrafts, writeDraft } from '#lib/drafts';

it('keeps what was written where it was written', () => {
  writeDraft('a', 'Half a thought');
  expect(draftAt('a')).toBe('Half a thought');
  expect(draftAt('elsewhere')).toBe('');
});

it('puts texts back in their order, below what has been written since', () => {
  writeDraft('b', '');
  returnToDraft('b', 'First');
  expect(draftAt('b')).toBe('First');
  returnToDraft('b', 'Second');
  expect(draftAt('b')).toBe('First\n\nSecond');
});

it('takes a text along, and loses none on the way', () => {
  writeDraft('new', 'Taken along');
  writeDraft('c', 'There already');
  moveDraft('new', 'c');
  expect([draftAt('new'), draftAt('c')]).toEqual(['', 'There already\n\nTaken along']);
});

it('tells who listens, until they stop', () => {
  const heard = vi.fn();
  const stop = subscribeToDrafts(heard);
  writeDraft('d', 'x');
  stop();
  writeDraft('d', 'y');
  expect(heard).toHaveBeenCalledOnce();
});
