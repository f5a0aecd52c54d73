import { number, plural } from '#components/format.ts';
import type { Reference } from '#server/core/site/content';
import { inYourLanguage } from '#components/in-your-language.ts';

/**
 * Button texts for the decision on a call, by tool; `other` for tools that are not listed. `plan` and `cancelSchedule` are
 * calls of `publish_content` with `at`: a time, or `never`.
 */
export const decisions = inYourLanguage('decisions', {
  publish_content: { approve: 'Publish', refuse: 'Not now' },
  plan: { approve: 'Schedule', refuse: 'Not now' },
  cancelSchedule: { approve: 'Cancel the schedule', refuse: 'Keep it' },
  unpublish_content: { approve: 'Unpublish', refuse: 'Keep it online' },
  delete_content: { approve: 'Delete', refuse: 'Keep it' },
  set_navigation: { approve: 'Change the menu', refuse: 'Don’t change' },
  set_settings: { approve: 'Change the settings', refuse: 'Don’t change' },
  remember_instruction: { approve: 'Keep for the site', refuse: 'Don’t keep' },
  undo: { approve: 'Undo', refuse: 'Keep it' },
  other: { approve: 'Allow', refuse: 'Don’t allow' },
});

/** Texts of the delete button, by the type of the target. */
export const deletions = inYourLanguage('deletions', {
  page: 'Delete page',
  post: 'Delete post',
  asset: 'Delete picture',
});

/** Texts about other assistants that use the site, and their calls. */
export const callStrings = inYourLanguage('callStrings', {
  title: 'Waiting for you',
  body: 'What authors want published or changed, and calls that other assistants want to make with API keys. Nothing happens until you decide.',
  authorsBody:
    'Calls that other assistants want to make with your API keys. An editor or administrator decides them; you can withdraw them.',
  empty: 'Nothing is waiting for you.',
  loading: 'Loading the waiting calls…',
  loadFailed: 'The waiting calls could not be loaded.',
  list: 'Waiting calls',
  /** @param owner null for the user's own key, or without accounts */
  asks: (key: string | null, owner: string | null) =>
    `${key === null ? 'A program without a key' : `“${key}”`}${owner === null ? '' : `, a key of ${owner},`} asks:`,
  details: 'Input',
  until: 'Asked:',
  authorAsks: (name: string) => `${name} asks in a conversation:`,
  agreed: 'Allowed. It is done now.',
  approved: 'Allowed. It runs when the assistant asks again.',
  denied: 'Declined. The assistant will be informed.',
  connect: {
    title: 'Connect another assistant',
    body: 'Assistants that speak the Model Context Protocol can read the site and work on its drafts with their own key. To publish, delete or change what visitors see, they ask for your approval under',
    account: 'Account, Waiting for you',
    end: '.',
    create: 'Create a key for an assistant',
    former:
      'Existing keys keep their permissions. A key with “Change the site” also asks under /mcp, but over REST it publishes and deletes without asking: revoke it and create a key for drafts here.',
    address: 'Address',
    copyAddress: 'Copy the address',
    snippet: 'Configuration',
    copySnippet: 'Copy the configuration',
    key: 'YOUR_KEY',
  },
});

/** Texts about tool calls. */
export const toolStrings = inYourLanguage('toolStrings', {
  input: 'Input',
  result: 'Result',
  error: 'Error',
  show: 'Show',
  showLabel: (title: string) => `Show “${title}” in the preview`,
  viewLive: 'View live',
  /** @param title of the entry that is written, if known */
  writing: (title: string | null, length: string) => `Writing${title === null ? '' : ` ${title}`}… ${length}`,
  words: (count: number) => plural(count, 'word'),
  characters: (count: number) => plural(count, 'character'),
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  waiting: 'Waiting for approval',
  approved: 'Allowed',
  denied: 'Not done',
  deniedNote: (reason: string | null) => (reason === null ? 'Not done, as you decided.' : `Not done: ${reason}`),
  nothing: 'Nothing',
  moreItems: (count: number) => `Show ${number.format(count)} more`,
  details: 'Details of this step',
  technical: 'Input and result',
  moreText: (characters: number) => `Show ${plural(characters, 'more character')}`,
  answered: 'Answered',
  took: (duration: string) => `It took ${duration}`,
  instant: '< 0.1 s',
  cleared: 'No longer visible to the model',
  clearedHint:
    'Removed from the context to free up tokens. You can still read it here, and the assistant can look it up again.',
  excerpt: 'The model sees only an excerpt',
  excerptHint:
    'Shortened to free up tokens in the context. You can read all of it here, and the assistant can look it up.',
  copyInput: 'Copy the input',
  copyResult: 'Copy the result',
  images: 'Images in the result',
});

/** Texts of the approval question. */
export const approvalStrings = inYourLanguage('approvalStrings', {
  title: (count: number) =>
    count === 1 ? 'This needs your approval' : `These ${number.format(count)} steps need your approval`,
  /** For an author, who cannot decide. */
  editorialTitle: (count: number) =>
    count === 1
      ? 'This needs the approval of an editor'
      : `These ${number.format(count)} steps need the approval of an editor`,
  body: 'Nothing happens until you decide. Sending another message means no.',
  editorial:
    'An editor or administrator decides and has been notified. You can continue in another conversation; another message here withdraws the request.',
  withdraw: 'Withdraw',
  approveAll: 'Do all of it',
  denyAll: 'Do none of it',
  references: (count: number) => (count === 1 ? '1 item links here' : `${number.format(count)} items link here`),
  referenceKinds: {
    link: 'links to it',
    image: 'shows it',
    child: 'is a subpage of it',
    block: 'shows it',
    navigation: 'links to it',
    home: 'uses it as the home page',
  } satisfies Record<Reference['kind'], string>,
  draftOnly: 'in the draft',
  changes: 'What changes',
  omitted: (count: number) => `${plural(count, 'more item')} not shown here.`,
  complete: 'Show the complete difference',
  completeFailed: 'The complete difference could not be loaded.',
  fromOlderVersion:
    'An older version of Throughline saved this request. Long texts are cut off here: check the preview.',
  preview: (title: string) => `Preview “${title}”`,
});
