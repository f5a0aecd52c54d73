import { describe, expect, it } from 'vitest';
import {
  ariaKeys,
  isShortcut,
  type KeyPress,
  shortcutNames,
  shortcutOf,
  shortcuts,
} from '#components/chat/commands/shortcuts.ts';

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : '',
  metaKey: false,
  ctrlKey: false,
  altKey: false,
  shiftKey: false,
  isComposing: false,
  ...more,
});
const outside = { isApple: false, inField: false };
const inside = { isApple: false, inField: true };
const letter = { altKey: true, shiftKey: true };

describe('a key press', () => {
  it.each([
    ['Ctrl+K', press('k', { ctrlKey: true }), 'palette'],
    ['Ctrl+/', press('/', { ctrlKey: true }), 'help'],
    ['Ctrl+/ on a keyboard where / takes Shift', press('/', { ctrlKey: true, shiftKey: true }), 'help'],
    ['?', press('?', { shiftKey: true }), 'help'],
    ['Alt+Shift+N', press('N', letter), 'new-conversation'],
    ['Alt+Shift+J', press('J', letter), 'next-conversation'],
    ['Alt+Shift+K', press('K', letter), 'previous-conversation'],
    ['Escape', press('Escape'), 'stop'],
    ['Alt+Shift+C', press('C', letter), 'copy-answer'],
  ])('%s outside of fields is its shortcut', (_, pressed, name) => {
    expect(shortcutOf(pressed, outside)).toBe(name);
  });

  it.each([
    ['a letter', press('k')],
    ['Meta+K where Control is meant', press('k', { metaKey: true })],
    ['Ctrl+Shift+K', press('K', { ctrlKey: true, shiftKey: true })],
    ['Ctrl+Alt+K, which types a sign on many keyboards', press('k', { ctrlKey: true, altKey: true })],
    ['Alt+N', press('n', { altKey: true })],
    ['Enter, which is the composer’s', press('Enter')],
    ['Escape with Shift', press('Escape', { shiftKey: true })],
    ['?, while an input method composes', press('?', { isComposing: true })],
    ['Ctrl+K, while an input method composes', press('k', { ctrlKey: true, isComposing: true })],
  ])('%s is none', (_, pressed) => {
    expect(shortcutOf(pressed, outside)).toBeNull();
  });

  it('in a text field is one only with modifiers that type nothing', () => {
    expect(shortcutOf(press('?', { shiftKey: true }), inside)).toBeNull();
    expect(shortcutOf(press('Escape'), inside)).toBeNull();
    expect(shortcutOf(press('k', { ctrlKey: true }), inside)).toBe('palette');
    expect(shortcutOf(press('N', letter), inside)).toBe('new-conversation');
  });

  it('uses the key position if the layout produces another character', () => {
    const option = press('˜', { ...letter, code: 'KeyN' });
    expect(shortcutOf(option, { ...outside, isApple: true })).toBe('new-conversation');
    expect(shortcutOf(press('л', { ctrlKey: true, code: 'KeyK' }), outside)).toBe('palette');
    // Dvorak: the letter counts, not its place.
    expect(shortcutOf(press('k', { ctrlKey: true, code: 'KeyV' }), outside)).toBe('palette');
    expect(shortcutOf(press('t', { ctrlKey: true, code: 'KeyK' }), outside)).toBeNull();
  });

  it('uses Command on Apple keyboards, where Control edits text', () => {
    const apple = { ...outside, isApple: true };
    expect(shortcutOf(press('k', { metaKey: true }), apple)).toBe('palette');
    expect(shortcutOf(press('k', { ctrlKey: true }), apple)).toBeNull();
  });

  it('can be asked for by the composer', () => {
    expect(isShortcut(press('ArrowUp'), 'edit-last', false)).toBe(true);
    expect(isShortcut(press('ArrowUp', { shiftKey: true }), 'edit-last', false)).toBe(false);
    expect(isShortcut(press('ArrowUp', { isComposing: true }), 'edit-last', false)).toBe(false);
  });
});

describe('the table', () => {
  it('gives no keys twice in one place', () => {
    // What every place hears, and what one place hears in addition.
    const heard = (where: 'own' | 'other', group?: string) =>
      shortcutNames
        .filter((name) => (shortcuts[name].where === 'own') === (where === 'own'))
        .filter((name) => group === undefined || shortcuts[name].group === group)
        .flatMap((name) => ariaKeys(name, false).split(' '));
    for (const keys of [heard('other'), heard('own', 'composer'), heard('own', 'page'), heard('own', 'text')])
      expect(new Set(keys).size).toBe(keys.length);
  });
});
