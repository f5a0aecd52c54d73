import { number, plural } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';

/** Texts of the history of a conversation. */
export const historyStrings = inYourLanguage('historyStrings', {
  name: 'History',
  label: 'History: what this conversation changed',
  loading: 'Loading the history…',
  failed: 'The history could not be loaded.',
  empty: 'Nothing has changed yet',
  emptyBody: 'Each answer that changes the site becomes a checkpoint here, and so does what you change by hand.',
  allChanges: 'All changes of the site',
  back: 'Back to the history',
  summary: 'Older messages summarized',
  summaryBody: 'From here on the assistant reads a summary of what was said before. Nothing is deleted.',
  byHand: (who: string) => `By hand: ${who}`,
  request: (when: string) => `Request from ${when}`,
  undone: 'Undone',
  takenAlong: 'Reverted: restored to an earlier point',
  partlyUndone: 'Partly undone',
  /** Name of a checkpoint for screen readers, and on hover. */
  checkpoint: (when: string, title: string, changes: number, state: string) =>
    [when, title, ...(changes > 0 ? [plural(changes, 'change')] : []), ...(state === '' ? [] : [state])].join(', '),
  hint: 'Arrow keys show the site as it was at each checkpoint. Enter opens the checkpoint, Escape goes back to now.',
  card: {
    label: (when: string) => `Checkpoint from ${when}`,
    changes: 'What changed',
    picture: (title: string) => `${title} as it was then`,
    show: 'Show',
    showLabel: (when: string) => `Show the site as it was at ${when}`,
    undoAll: 'Undo all of it',
    restore: 'Restore this version',
    toMessage: 'Show in the conversation',
    close: 'Close the checkpoint',
    more: (count: number) => `Show ${plural(count, 'more change')}`,
  },
  past: {
    label: 'An earlier state of the site',
    title: (when: string) => `As it was at ${when}`,
    now: 'Back to now',
    earlier: 'Earlier',
    later: 'Later',
    restore: 'Restore this version',
    noVersions: 'This site keeps no earlier versions of its pages, so they cannot be shown or restored here.',
  },
  restore: {
    title: (when: string) => `Restore the version from ${when}?`,
    scope: 'What to restore',
    page: (title: string) => `Only “${title}”`,
    conversation: 'Everything this conversation changed since',
    checking: 'Checking what else changes…',
    checkFailed: 'Could not check what else changes.',
    body: (count: number) =>
      count === 0
        ? 'Visitors see no difference until you publish.'
        : `${plural(count, 'later step')} ${count === 1 ? 'is' : 'are'} undone with it. Pages stay as visitors see them until you publish; you can undo this as one step.`,
    along: 'Later steps that are undone with it',
    others: (count: number) => `${plural(count, 'step')} by other people would be lost`,
    othersBody: 'Ask them first if you are not sure. It can be undone.',
    more: (count: number) => `and ${number.format(count)} more`,
    confirm: 'Restore',
    confirmOver: (count: number) => `Restore and lose ${plural(count, 'step')} by other people`,
    done: (when: string) => `Restored the version from ${when}`,
  },
  search: {
    label: 'Search what was said',
    scope: 'Where to search',
    here: 'This conversation',
    everywhere: 'All conversations',
    tooShort: 'Type at least two letters.',
    searching: 'Searching…',
    failed: 'The search failed.',
    none: (query: string) => `Nothing was said about “${query}”.`,
    found: (count: number) => plural(count, 'place'),
    results: 'Places found',
    more: 'Show more places',
    you: 'You',
    assistant: 'Assistant',
    wrote: 'Assistant, on the page',
  },
  leave: {
    title: 'Wrap up',
    open: 'Wrap up?',
    changed: (pages: number) => (pages === 0 ? 'No page changed.' : `${plural(pages, 'page')} changed.`),
    cost: (dollars: string) => `This conversation cost ${dollars} so far.`,
    noCost: 'The provider does not say what this conversation cost.',
    waiting: (pages: number) =>
      pages === 0
        ? 'Nothing from this conversation is waiting to be published.'
        : `${plural(pages, 'page')} from this conversation ${pages === 1 ? 'is' : 'are'} waiting to be published.`,
    /** Drafts and unpublished changes of the site that the conversation has not made. */
    elsewhere: (pages: number) =>
      pages === 1
        ? '1 other page of the site has unpublished changes.'
        : `${number.format(pages)} other pages of the site have unpublished changes.`,
    list: 'Waiting to be published',
    publish: 'Publish',
    publishLabel: (title: string) => `Publish “${title}”`,
    publishAll: 'Publish all',
    confirmTitle: (pages: number) => `Publish ${plural(pages, 'page')}?`,
    confirmBody: 'Visitors see the new versions immediately. Each can be undone in its history.',
    confirmPrivate: (titles: readonly string[]) =>
      `${titles.map((title) => `“${title}”`).join(', ')} ${titles.length === 1 ? 'is' : 'are'} private now: publishing shows ${titles.length === 1 ? 'it' : 'them'} to everyone.`,
    published: (pages: number) => `${plural(pages, 'page')} published`,
    checking: 'Counting…',
    show: (title: string) => `Show “${title}”`,
  },
});
