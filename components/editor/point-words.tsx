import { number } from '#components/figures';

/** Texts of what chooses, moves and lists the sections of a page. */
export const pointStrings = {
  surface: 'Sections of the page',
  surfaceHelp:
    'Arrow up and down choose a section, Enter writes in it, Alt with an arrow moves it, Delete removes it, Escape deselects it.',
  /** Over a text. */
  hint: 'Double-click to write here',
  section: (kind: string, name: string) => (name === '' ? kind : `${kind}: ${name}`),
  bar: (kind: string) => `${kind}: what to do`,
  ask: 'Ask about this',
  askShort: 'Ask',
  edit: 'Edit',
  /** For a block that is not ours. */
  editInCms: 'Edit in WordPress',
  up: 'Move up',
  down: 'Move down',
  drag: 'Drag to move',
  duplicate: 'Duplicate',
  remove: 'Remove',
  openLink: 'Open the link',
  /** In a tab of its own. */
  toAssistant: 'Open in the assistant',
  tools: 'Editing',
  letGo: 'Deselect',
  chosen: (what: string) => `Chosen: ${what}`,
  moved: (place: number, count: number) => `Moved to place ${number.format(place)} of ${number.format(count)}.`,
  removed: (what: string) => `Removed: ${what}`,
  /** In the message field. */
  chip: 'Goes with the message',
  words: (text: string) => `“${text}”`,
  selected: 'Selected words',
  leaveOut: (what: string) => `Leave out: ${what}`,
  outline: {
    open: 'Outline of the page',
    mode: 'What a click on the page does',
    modes: { edit: 'Choose', look: 'Browse' },
    title: 'Outline',
    help: 'Arrows go through the sections, Enter edits, Alt with an arrow moves, Delete removes. Drag a row to move it.',
    empty: 'This page has no sections yet.',
    add: 'Add a section',
    settings: 'Page settings',
    loading: 'Loading…',
    drag: 'Drag to move',
  },
} as const;
