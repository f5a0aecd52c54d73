import { afterEach, expect, it, vi } from 'vitest';
import {
  draftAt,
  forgetDrafts,
  moveDraft,
  returnToDraft,
  subscribeToDrafts,
  takeDraft,
  writeDraft,
} from '#components/chat/session/drafts.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('finds again what was written before the page was loaded anew, and forgets what was sent', async () => {
  const stored = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key),
  });
  const reload = async () => {
    vi.resetModules();
    return import('#components/chat/session/drafts.ts');
  };
  writeDraft('e', 'Half a thought');
  const later = await reload();
  expect(later.draftAt('e')).toBe('Half a thought');
  later.writeDraft('e', '');
  expect((await reload()).draftAt('e')).toBe('');
  expect(stored.size).toBe(0);
});

it('leaves nothing unsent to who signs in next', () => {
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

it('goes on without a store that takes nothing', () => {
  const refuse = () => {
    throw new DOMException('Full', 'QuotaExceededError');
  };
  vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
  writeDraft('f', 'Half a thought');
  expect(draftAt('f')).toBe('Half a thought');
});

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

it('takes only a whole text out, not the same words within another', () => {
  writeDraft('h', 'Yes, publish it.\n\nYes');
  takeDraft('h', 'Yes');
  expect(draftAt('h')).toBe('Yes, publish it.');
  takeDraft('h', 'Yes');
  expect(draftAt('h')).toBe('Yes, publish it.');
});

it('loses nothing that was put back while a text with its files was under way', () => {
  writeDraft('g', ' With a picture \n');
  returnToDraft('g', 'Could not be queued');
  takeDraft('g', 'With a picture');
  expect(draftAt('g')).toBe('Could not be queued');
  takeDraft('g', 'Something else');
  expect(draftAt('g')).toBe('Could not be queued');
  takeDraft('g', 'Could not be queued');
  expect(draftAt('g')).toBe('');
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

it('takes nothing for an empty text', () => {
  writeDraft('i', 'abc');
  takeDraft('i', '');
  expect(draftAt('i')).toBe('abc');
});
