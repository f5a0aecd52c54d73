import { number, plural } from '#components/figures';
import { inYourLanguage } from '#components/in-your-language';

/** Texts of the thread of a conversation. */
export const threadStrings = inYourLanguage('threadStrings', {
  name: 'Thread',
  label: 'Thread: what this conversation changed',
  loading: 'Loading the thread…',
  failed: 'The thread could not be loaded.',
  empty: 'Nothing has changed yet',
  emptyBody: 'Each answer that changes the site becomes a knot here, and so does what you change by hand.',
  allChanges: 'All changes of the site',
  back: 'Back to the thread',
  summary: 'Older messages summarized',
  summaryBody: 'From here on the assistant reads a summary of what was said before. Nothing is deleted.',
  byHand: (who: string) => `By hand: ${who}`,
  request: (when: string) => `Request from ${when}`,
  undone: 'Undone',
  takenAlong: 'Gone: brought back to an earlier point',
  partlyUndone: 'Partly undone',
  /** Name of a knot for screen readers, and on hover. */
  knot: (when: string, title: string, changes: number, state: string) =>
    [when, title, ...(changes > 0 ? [plural(changes, 'change')] : []), ...(state === '' ? [] : [state])].join(', '),
  hint: 'Arrow keys show the site as it was at each knot. Enter opens the knot, Escape goes back to now.',
  card: {
    label: (when: string) => `Knot from ${when}`,
    changes: 'What changed',
    picture: (title: string) => `${title} as it was then`,
    show: 'Show',
    showLabel: (when: string) => `Show the site as it was at ${when}`,
    undoAll: 'Undo all of it',
    bringBack: 'Bring this back',
    toMessage: 'Show in the conversation',
    close: 'Close the knot',
    more: (count: number) => `Show ${plural(count, 'more change')}`,
  },
  past: {
    label: 'An earlier state of the site',
    title: (when: string) => `As it was at ${when}`,
    now: 'Back to now',
    earlier: 'Earlier',
    later: 'Later',
    bringBack: 'Bring this back',
    noVersions: 'This site keeps no earlier versions of its pages, so they cannot be shown or brought back here.',
  },
  bringBack: {
    title: (when: string) => `Bring back how it was at ${when}?`,
    scope: 'What to bring back',
    page: (title: string) => `Only “${title}”`,
    conversation: 'Everything this conversation changed since',
    checking: 'Checking what goes with it…',
    checkFailed: 'Could not check what goes with it.',
    body: (count: number) =>
      count === 0
        ? 'Visitors see no difference until you publish.'
        : `${plural(count, 'later step')} ${count === 1 ? 'goes' : 'go'} with it. Pages stay as visitors see them until you publish; you can undo this as one step.`,
    along: 'Later steps that go with it',
    others: (count: number) => `${plural(count, 'step')} of others would be lost`,
    othersBody: 'Ask them first if you are not sure. It can be undone.',
    more: (count: number) => `and ${number.format(count)} more`,
    confirm: 'Bring it back',
    confirmOver: (count: number) => `Bring it back and lose ${plural(count, 'step')} of others`,
    done: (when: string) => `Brought back how it was at ${when}`,
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
    title: 'Done for today',
    open: 'Done for today?',
    changed: (pages: number) => (pages === 0 ? 'No page changed.' : `${plural(pages, 'page')} changed.`),
    cost: (dollars: string) => `This conversation cost ${dollars} so far.`,
    noCost: 'The provider does not say what this conversation cost.',
    waiting: (pages: number) =>
      pages === 0
        ? 'Nothing waits to be published.'
        : `${plural(pages, 'page')} ${pages === 1 ? 'waits' : 'wait'} to be published.`,
    list: 'Waiting to be published',
    publish: 'Publish',
    publishLabel: (title: string) => `Publish “${title}”`,
    publishAll: 'Publish all',
    confirmTitle: (pages: number) => `Publish ${plural(pages, 'page')}?`,
    confirmBody: 'Visitors see the new versions at once. Each can be undone in its history.',
    confirmPrivate: (titles: readonly string[]) =>
      `${titles.map((title) => `“${title}”`).join(', ')} ${titles.length === 1 ? 'is' : 'are'} private now: publishing shows ${titles.length === 1 ? 'it' : 'them'} to everybody.`,
    published: (pages: number) => `${plural(pages, 'page')} published`,
    checking: 'Counting…',
    show: (title: string) => `Show “${title}”`,
  },
});
