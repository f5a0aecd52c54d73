import { plural } from '#components/figures';

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
