import { plural } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';
import type { EntryMark } from '#server/core/site/content';

/** Texts shared by several features. */
export const strings = inYourLanguage('strings', {
  product: 'Throughline',
  /** For the buttons and the menu of the page in the preview. */
  page: {
    outline: 'Outline of the page',
    settings: 'Page settings',
    new: 'New page',
    undo: 'Undo the last step',
    redo: 'Redo',
    history: 'History',
    publish: 'Publish',
  },
  openHistory: (changes: number) =>
    changes === 0 ? 'Open the thread' : `Open the thread: ${plural(changes, 'change')}`,
  waitingCalls: (count: number) => (count === 1 ? '1 call is waiting for you' : `${count} calls are waiting for you`),
  notFound: {
    title: 'Page not found',
    body: 'The page may have been renamed, unpublished or deleted.',
    home: 'Go to the assistant',
  },
  tooManyPages: {
    title: 'Too many requests',
    body: (seconds: number) =>
      `Your network has requested too many pages in the last minute. Try again in ${plural(seconds, 'second')}.`,
  },
  crash: {
    title: 'This page could not be shown',
    body: 'Your conversations and your site are stored and not affected. Trying again usually helps.',
    retry: 'Try again',
    home: 'Start over',
  },
  sites: {
    label: 'Site that this tab works on',
    own: (name: string) => `${name} (built-in)`,
    gone: 'The site that you worked on no longer exists. This is another one.',
    none: 'There is no site for you yet',
    noneBody:
      'Everything here is about a site, and you may work on none. Ask an administrator to give you one: in the settings, under “People”, at your name. Then try again.',
    goneBelow:
      'The site of this conversation is not connected any more. What was said can be read; nothing more can be done.',
  },
  common: {
    cancel: 'Cancel',
    close: 'Close',
    retry: 'Try again',
    save: 'Save',
    failed: (reason: string) => `That did not work: ${reason}`,
    copied: 'Copied',
    copyFailed: 'Your browser did not allow copying.',
    notFetched: 'A part of the page could not be loaded. Reload the page.',
  },
  /** Confirmation before a form with unsaved input is closed. */
  unsaved: {
    title: 'Close without saving?',
    body: 'What you entered would be lost.',
    leave: 'Close without saving',
  },
  theme: { label: 'Theme', light: 'Light', dark: 'Dark', system: 'System' },
  language: {
    label: 'Language',
    body: 'Language of these pages. The assistant answers in the language that you write in, and the site stays in its own.',
    auto: 'Same as the browser',
  },
  /** Labels for the states of entries of a connected site. */
  marks: {
    private: 'Private',
    password: 'Needs a password',
    pending: 'Waits for review',
    sticky: 'Stays in front',
    'read-only': 'Made with a page builder or a plugin: its content is changed there only',
  } satisfies Record<EntryMark, string>,
  connection: {
    lost: 'The server cannot be reached. Trying again…',
    back: 'Connected again.',
  },
  errors: {
    network: 'The server cannot be reached.',
    unexpected: (status: number) => `The server answered with status ${String(status)}.`,
  },
});
