import { number, plural } from '#components/figures';

/** Texts of what is saved by itself, of others on the page, and of the way back. */
export const savingStrings = {
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
} as const;

/** Texts beside a text that is written on the page. */
export const writingStrings = {
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
} as const;
