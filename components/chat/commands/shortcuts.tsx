import { shortcutStrings } from '#components/chat/commands/words';
import { wordOf } from '#components/in-your-language';

/** A key with the modifiers that are held with it; those not named must be up. */
export interface Keys {
  /** `KeyboardEvent.key`; letters in lower case. */
  readonly key: string;
  /** Command on Apple keyboards, Control elsewhere. */
  readonly mod?: boolean;
  readonly alt?: boolean;
  readonly shift?: boolean;
}

export type ShortcutGroup = 'everywhere' | 'conversation' | 'composer';

interface ShortcutRow {
  readonly group: ShortcutGroup;
  readonly keys: readonly Keys[];
  /** `outside-fields`: not where it would be typed. `composer`: listened to by the composer alone. */
  readonly where: 'anywhere' | 'outside-fields' | 'composer';
}

/**
 * Every shortcut: the listener, the composer and the help sheet read this one table. Letters go with Alt and Shift:
 * browsers keep Control with a letter for themselves, screen readers use Control and Option, Caps Lock or Insert, and
 * Alt and Shift with I, T, B or A are Chromium's.
 */
export const shortcuts = {
  palette: { group: 'everywhere', where: 'anywhere', keys: [{ key: 'k', mod: true }] },
  help: { group: 'everywhere', where: 'anywhere', keys: [{ key: '/', mod: true }, { key: '?' }] },
  'new-conversation': { group: 'everywhere', where: 'anywhere', keys: [{ key: 'n', alt: true, shift: true }] },
  'next-conversation': { group: 'everywhere', where: 'anywhere', keys: [{ key: 'j', alt: true, shift: true }] },
  'previous-conversation': { group: 'everywhere', where: 'anywhere', keys: [{ key: 'k', alt: true, shift: true }] },
  'focus-composer': { group: 'everywhere', where: 'anywhere', keys: [{ key: 'm', alt: true, shift: true }] },
  'toggle-sidebar': { group: 'everywhere', where: 'anywhere', keys: [{ key: 's', alt: true, shift: true }] },
  'toggle-preview': { group: 'everywhere', where: 'anywhere', keys: [{ key: 'p', alt: true, shift: true }] },
  undo: { group: 'everywhere', where: 'outside-fields', keys: [{ key: 'z', mod: true }] },
  redo: {
    group: 'everywhere',
    where: 'outside-fields',
    keys: [
      { key: 'z', mod: true, shift: true },
      { key: 'y', mod: true },
    ],
  },
  stop: { group: 'conversation', where: 'outside-fields', keys: [{ key: 'Escape' }] },
  'copy-answer': { group: 'conversation', where: 'anywhere', keys: [{ key: 'c', alt: true, shift: true }] },
  'edit-last': { group: 'composer', where: 'composer', keys: [{ key: 'ArrowUp' }] },
  commands: { group: 'composer', where: 'composer', keys: [{ key: '/' }] },
  send: { group: 'composer', where: 'composer', keys: [{ key: 'Enter' }] },
  'new-line': { group: 'composer', where: 'composer', keys: [{ key: 'Enter', shift: true }] },
} as const satisfies Record<string, ShortcutRow>;

export type ShortcutName = keyof typeof shortcuts;

/** In the order of the help sheet. */
export const shortcutNames = Object.keys(shortcuts) as readonly ShortcutName[];

/** Fields used of a `KeyboardEvent`. */
export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly metaKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly isComposing: boolean;
}

/** The key's own letter: with Option a Mac gives another sign, and not every alphabet has these letters. */
function letterOf({ key, code }: KeyPress): string {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? key;
}

function isPressed(press: KeyPress, { key, mod = false, alt = false, shift = false }: Keys, isApple: boolean): boolean {
  const isLetter = /^[a-z]$/.test(key);
  const isSign = key.length === 1 && !isLetter;
  const [modKey, otherKey] = isApple ? [press.metaKey, press.ctrlKey] : [press.ctrlKey, press.metaKey];
  return (
    (isLetter ? letterOf(press) : press.key) === key &&
    modKey === mod &&
    !otherKey &&
    press.altKey === alt &&
    // Where a sign lies decides whether it takes Shift.
    (isSign || press.shiftKey === shift)
  );
}

/** True if the key press is this shortcut. Never while an input method composes. */
export function isShortcut(press: KeyPress, name: ShortcutName, isApple: boolean): boolean {
  return !press.isComposing && shortcuts[name].keys.some((keys) => isPressed(press, keys, isApple));
}

/**
 * The shortcut that a key press outside of the composer's own means.
 * @param inField the press would be typed into a text field
 */
export function shortcutOf(press: KeyPress, { isApple, inField }: { isApple: boolean; inField: boolean }) {
  const isMeant = (name: ShortcutName) => {
    const { where } = shortcuts[name];
    if (where === 'composer' || (where === 'outside-fields' && inField)) return false;
    return isShortcut(press, name, isApple) && !(inField && isPlain(press));
  };
  return shortcutNames.find(isMeant) ?? null;
}

const isPlain = ({ metaKey, ctrlKey, altKey }: KeyPress) => !metaKey && !ctrlKey && !altKey;

const appleNames = { mod: '⌘', alt: '⌥', shift: '⇧' };

/** Key labels on this platform, in the order in which they are pressed. */
export function keyLabels({ key, mod, alt, shift }: Keys, isApple: boolean): string[] {
  const names = isApple ? appleNames : shortcutStrings.modifiers;
  return [
    ...(mod ? [names.mod] : []),
    ...(alt ? [names.alt] : []),
    ...(shift ? [names.shift] : []),
    wordOf(shortcutStrings.keys, key) ?? key.toUpperCase(),
  ];
}

/** Keys in the format of `aria-keyshortcuts`. */
export function ariaKeys(name: ShortcutName, isApple: boolean): string {
  const modifiers = { mod: isApple ? 'Meta' : 'Control', alt: 'Alt', shift: 'Shift' };
  const one = ({ key, mod, alt, shift }: Keys) =>
    [mod && modifiers.mod, alt && modifiers.alt, shift && modifiers.shift, key].filter(Boolean).join('+');
  return shortcuts[name].keys.map(one).join(' ');
}
