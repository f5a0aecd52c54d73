import { afterEach, expect, it, vi } from 'vitest';
import {
  draftAt,
  forgetDrafts,
  moveDraft,
  returnToDraft,
  takeDraft,
  writeDraft,
} from '#components/chat/session/drafts.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('leaves no unsent text to the next user of the browser', () => {
  const stored: Record<string, string> = { theme: 'dark' };
  const store = {
    getItem: (key: string) => stored[key] ?? null,
    setItem: (key: string, text: string) => Object.assign(stored, { [key]: text }),
    removeItem: (key: string) => Reflect.deleteProperty(stored, key),
  };
  vi.stubGlobal(
    'sessionStorage',
    new Proxy(stored, { get: (_, key) => Reflect.get(store, key) ?? Reflect.get(stored, key) }),
  );
  writeDraft('new', 'Fire everybody');
  forgetDrafts();
  expect(draftAt('new')).toBe('');
  expect(stored).toEqual({ theme: 'dark' });
});

it('works without a writable store', () => {
  const refuse = () => {
    throw new DOMException('Full', 'QuotaExceededError');
  };
  vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
  writeDraft('f', 'Half a thought');
  expect(draftAt('f')).toBe('Half a thought');
});

it('restores texts in order, after newer text', () => {
  writeDraft('b', '');
  returnToDraft('b', 'First');
  expect(draftAt('b')).toBe('First');
  returnToDraft('b', 'Second');
  expect(draftAt('b')).toBe('First\n\nSecond');
});

it('removes only a whole text, not the same words within another', () => {
  writeDraft('h', 'Yes, publish it.\n\nYes');
  takeDraft('h', 'Yes');
  expect(draftAt('h')).toBe('Yes, publish it.');
  takeDraft('h', 'Yes');
  expect(draftAt('h')).toBe('Yes, publish it.');
});

it('loses no text restored while another one is sent with its files', () => {
  writeDraft('g', ' With a picture \n');
  returnToDraft('g', 'Could not be queued');
  takeDraft('g', 'With a picture');
  expect(draftAt('g')).toBe('Could not be queued');
  takeDraft('g', 'Something else');
  expect(draftAt('g')).toBe('Could not be queued');
  takeDraft('g', 'Could not be queued');
  expect(draftAt('g')).toBe('');
});

it('moves a text to another conversation without loss', () => {
  writeDraft('new', 'Taken along');
  writeDraft('c', 'There already');
  moveDraft('new', 'c');
  expect([draftAt('new'), draftAt('c')]).toEqual(['', 'There already\n\nTaken along']);
});
