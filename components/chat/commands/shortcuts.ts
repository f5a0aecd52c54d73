import { translator } from '#components/i18n.ts';

const t = translator('shortcuts');

/** A key with its modifiers; modifiers that are not named must be up. */
export interface Keys {
  /** `KeyboardEvent.key`; letters in lower case. */
  readonly key: string;
  /** Command on Apple keyboards, Control elsewhere. */
  readonly mod?: boolean;
  readonly alt?: boolean;
  readonly shift?: boolean;
}

/** Heading of the help sheet under which a shortcut is listed. */
export type ShortcutGroup = 'everywhere' | 'conversation' | 'composer' | 'page' | 'text';

interface ShortcutRow {
  readonly group: ShortcutGroup;
  readonly keys: readonly Keys[];
  /** `outside-fields`: not where it would be typed. `own`: handled by the part of the screen that has the focus. */
  readonly where: 'anywhere' | 'outside-fields' | 'own';
}

/**
 * All shortcuts: the listener, the composer and the help sheet use this table. Letters use Alt and Shift, because
 * browsers reserve Control with a letter; screen readers use Control and Option, Caps Lock or Insert; and Alt and Shift
 * with I, T, B or A belong to Chromium.
 */
export const shortcuts = {
  palette: { group: 'everywhere', where: 'anywhere', keys: [{ key: 'k', mod: true }] },
  help: { group: 'everywhere', where: 'anywhere', keys: [{ key: '/', mod: true }, { key: '?' }] },
  'new-conversation': { group: 'everywhere', where: 'anywhere', keys: [{ key: 'n', alt: true, shift: true }] },
  'next-conversation': { group: 'everywhere', where: 'anywhere', keys: [{ key: 'j', alt: true, shift: true }] },
  'previous-conversation': { group: 'everywhere', where: 'anywhere', keys: [{ key: 'k', alt: true, shift: true }] },
  'focus-composer': { group: 'everywhere', where: 'anywhere', keys: [{ key: 'm', alt: true, shift: true }] },
  'focus-page': { group: 'everywhere', where: 'anywhere', keys: [{ key: 'e', alt: true, shift: true }] },
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
  'edit-last': { group: 'composer', where: 'own', keys: [{ key: 'ArrowUp' }] },
  commands: { group: 'composer', where: 'own', keys: [{ key: '/' }] },
  send: { group: 'composer', where: 'own', keys: [{ key: 'Enter' }] },
  'new-line': { group: 'composer', where: 'own', keys: [{ key: 'Enter', shift: true }] },
  'choose-section': { group: 'page', where: 'own', keys: [{ key: 'ArrowUp' }, { key: 'ArrowDown' }] },
  'write-section': { group: 'page', where: 'own', keys: [{ key: 'Enter' }] },
  'move-section': {
    group: 'page',
    where: 'own',
    keys: [
      { key: 'ArrowUp', alt: true },
      { key: 'ArrowDown', alt: true },
    ],
  },
  'find-on-page': { group: 'page', where: 'own', keys: [{ key: 'f', mod: true }] },
  'remove-section': { group: 'page', where: 'own', keys: [{ key: 'Delete' }] },
  'leave-section': { group: 'page', where: 'own', keys: [{ key: 'Escape' }] },
  bold: { group: 'text', where: 'own', keys: [{ key: 'b', mod: true }] },
  italic: { group: 'text', where: 'own', keys: [{ key: 'i', mod: true }] },
  link: { group: 'text', where: 'own', keys: [{ key: 'k', mod: true }] },
  indent: { group: 'text', where: 'own', keys: [{ key: 'Tab' }] },
  outdent: { group: 'text', where: 'own', keys: [{ key: 'Tab', shift: true }] },
  'line-break': { group: 'text', where: 'own', keys: [{ key: 'Enter', shift: true }] },
  'leave-text': { group: 'text', where: 'own', keys: [{ key: 'Escape' }] },
} as const satisfies Record<string, ShortcutRow>;

/** Name of a shortcut. */
export type ShortcutName = keyof typeof shortcuts;

/** Same order as in the help sheet. */
export const shortcutNames = Object.keys(shortcuts) as readonly ShortcutName[];

/** The used fields of a `KeyboardEvent`. */
export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly metaKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly isComposing: boolean;
}

/**
 * The letter of the physical key: with Option a Mac reports another character, and not every alphabet has these
 * letters.
 */
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
    // The keyboard layout decides whether a punctuation character needs Shift.
    (isSign || press.shiftKey === shift)
  );
}

/** True if the key press is this shortcut. Always false while an input method composes. */
export function isShortcut(press: KeyPress, name: ShortcutName, isApple: boolean): boolean {
  return !press.isComposing && shortcuts[name].keys.some((keys) => isPressed(press, keys, isApple));
}

/**
 * The shortcut of a key press, without the composer's own shortcuts.
 * @param inField the key would be typed into a text field
 */
export function shortcutOf(press: KeyPress, { isApple, inField }: { isApple: boolean; inField: boolean }) {
  const isFor = (name: ShortcutName) => {
    const { where } = shortcuts[name];
    if (where === 'own' || (where === 'outside-fields' && inField)) return false;
    return isShortcut(press, name, isApple) && !(inField && isPlain(press));
  };
  return shortcutNames.find(isFor) ?? null;
}

const isPlain = ({ metaKey, ctrlKey, altKey }: KeyPress) => !metaKey && !ctrlKey && !altKey;

const appleNames = { mod: '⌘', alt: '⌥', shift: '⇧' };

/** Key labels on this platform, in the order in which they are pressed. */
export function keyLabels({ key, mod, alt, shift }: Keys, isApple: boolean): string[] {
  const nameOf = (name: 'mod' | 'alt' | 'shift') => (isApple ? appleNames[name] : t(`modifiers.${name}`));
  return [
    ...(mod ? [nameOf('mod')] : []),
    ...(alt ? [nameOf('alt')] : []),
    ...(shift ? [nameOf('shift')] : []),
    t.find(`keys.${key}`) ?? key.toUpperCase(),
  ];
}

/** Keys in the format of `aria-keyshortcuts`. */
export function ariaKeys(name: ShortcutName, isApple: boolean): string {
  const modifiers = { mod: isApple ? 'Meta' : 'Control', alt: 'Alt', shift: 'Shift' };
  const one = ({ key, mod, alt, shift }: Keys) =>
    [mod && modifiers.mod, alt && modifiers.alt, shift && modifiers.shift, key].filter(Boolean).join('+');
  return shortcuts[name].keys.map(one).join(' ');
}
