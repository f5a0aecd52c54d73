import { number, plural } from '#components/figures';
import { inYourLanguage } from '#components/in-your-language';

/** Texts of what chooses, moves and lists the sections of a page. */
export const pointStrings = inYourLanguage('pointStrings', {
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
});

/** Texts of what is saved by itself, of others on the page, and of the way back. */
export const savingStrings = inYourLanguage('savingStrings', {
  save: {
    saved: 'Saved',
    waiting: 'Not saved yet',
    offline: 'Not saved: no connection. It is kept here and saved when the connection is back.',
    saving: 'Saving…',
    failed: (problem: string) => `Not saved: ${problem}`,
    failedShort: 'Not saved',
    conflict: 'Changed by somebody else too',
    retry: 'Save again',
  },
  conflict: {
    title: 'This text was changed twice',
    body: (who: string) => `While you wrote, ${who} saved another text in the same place. Which one is to stay?`,
    gone: (who: string) => `While you wrote, ${who} removed this section. Your text is here to be copied.`,
    somebody: 'somebody else',
    byAssistant: 'the assistant',
    mine: 'Yours',
    theirs: 'Theirs',
    theirsBy: (who: string) => `By ${who}`,
    nothing: 'Nothing: the text was removed.',
    keepMine: 'Keep mine',
    keepTheirs: 'Keep theirs',
    copy: 'Copy mine',
    copied: 'Your text is copied',
    letGo: 'Discard mine',
    leave: 'Decide later',
  },
  presence: {
    label: 'Also on this page',
    /** In the place of initials. */
    me: 'You',
    nobody: '?',
    here: (who: string | null) => `${who ?? 'Somebody'} is on this page`,
    writes: (who: string | null) => `${who ?? 'Somebody'} is writing`,
    hereMyself: 'You have this page open in another window',
    writesMyself: 'You are writing in another window',
    more: (count: number) => `and ${plural(count, 'more person', 'more people')}`,
  },
  undo: {
    nothing: 'There is nothing to undo.',
    nothingToRedo: 'There is nothing to redo.',
  },
});

/** Texts beside a text that is written on the page. */
export const writingStrings = inYourLanguage('writingStrings', {
  /** Accessible name of a text. */
  label: (field: string, kind: string | null) => (kind === null ? field : `${field} (${kind})`),
  hint: 'Saved by itself. Esc ends.',
  saved: 'Saved',
  waiting: 'Not saved yet',
  saving: 'Saving…',
  conflict: 'Somebody else changed this too',
  failed: (reason: string) => `Not saved: ${reason}`,
  notNow: 'Not saved. It is tried again.',
  giveUp: (problem: string) => `${problem} Esc again takes it back to how it was saved.`,
  left: (left: number) => `${number.format(left)} left`,
  over: (over: number) => `${number.format(over)} too many`,
});
