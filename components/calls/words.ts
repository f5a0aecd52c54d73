import { number, plural } from '#components/figures';
import type { Reference } from '#server/core/content';
import { inYourLanguage } from '#components/in-your-language';

/** Words on the buttons that decide on a call, by the tool; `other` for those that are not named. */
export const decisions = inYourLanguage('decisions', {
  publish_content: { approve: 'Publish', refuse: 'Not now' },
  plan: { approve: 'Schedule', refuse: 'Not now' },
  cancelPlan: { approve: 'Cancel the schedule', refuse: 'Keep it' },
  unpublish_content: { approve: 'Unpublish', refuse: 'Keep it online' },
  delete_content: { approve: 'Delete', refuse: 'Keep it' },
  set_navigation: { approve: 'Change the menu', refuse: 'Keep it' },
  set_settings: { approve: 'Change the settings', refuse: 'Keep them' },
  remember_instruction: { approve: 'Keep for the site', refuse: 'Do not keep' },
  undo: { approve: 'Undo', refuse: 'Keep it' },
  other: { approve: 'Allow', refuse: 'Do not allow' },
});

/** The button that deletes, by the type of what it deletes. */
export const deletions = inYourLanguage('deletions', {
  page: 'Delete page',
  post: 'Delete post',
  asset: 'Delete picture',
});

/** Every sentence about other assistants that use the site, and their calls. */
export const callStrings = inYourLanguage('callStrings', {
  title: 'Waiting for you',
  body: 'What authors want published or changed, and calls that other assistants want to make with API keys. Nothing happens until you decide.',
  authorsBody:
    'Calls that other assistants want to make with your API keys. An editor or administrator decides them; you can take them back.',
  empty: 'Nothing is waiting for you.',
  loading: 'Loading the waiting calls…',
  loadFailed: 'The waiting calls could not be loaded.',
  list: 'Waiting calls',
  /** @param owner null: your own, or there are no accounts */
  asks: (key: string | null, owner: string | null) =>
    `${key === null ? 'A program without a key' : `“${key}”`}${owner === null ? '' : `, a key of ${owner},`} asks:`,
  details: 'Input',
  until: 'Asked:',
  authorAsks: (name: string) => `${name} asks in a conversation:`,
  agreed: 'Allowed. It is done now.',
  approved: 'Allowed. It runs when the assistant asks again.',
  denied: 'Not done. The assistant will be told.',
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

/** Words of a call of a tool. */
export const toolStrings = inYourLanguage('toolStrings', {
  input: 'Input',
  result: 'Result',
  error: 'Error',
  show: 'Show',
  showLabel: (title: string) => `Show “${title}” in the preview`,
  viewLive: 'View live',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  waiting: 'Waiting for your approval',
  approved: 'Allowed',
  denied: 'Not done',
  deniedNote: (reason: string | null) => (reason === null ? 'Not done, as you decided.' : `Not done: ${reason}`),
  nothing: 'Nothing',
  moreItems: (count: number) => `Show ${number.format(count)} more`,
  details: 'Input and result',
  moreText: (characters: number) => `Show ${plural(characters, 'more character')}`,
  answered: 'Answered',
  took: (duration: string) => `It took ${duration}`,
  instant: '< 0.1 s',
  cleared: 'No longer visible to the model',
  clearedHint: 'Set aside to free up memory. You can still read it here, and the assistant can look it up again.',
  excerpt: 'The model sees only an excerpt',
  excerptHint: 'Shortened to free up memory. You can read all of it here, and the assistant can look it up.',
  copyInput: 'Copy the input',
  copyResult: 'Copy the result',
  images: 'Images in the result',
});

/** Words of the question whether a call may be made. */
export const approvalStrings = inYourLanguage('approvalStrings', {
  title: (count: number) =>
    count === 1 ? 'This needs your approval' : `These ${number.format(count)} steps need your approval`,
  body: 'Nothing happens until you decide. Sending another message means no.',
  editorial:
    'An editor or administrator decides and has been told. You can go on in another conversation; another message here takes the request back.',
  withdraw: 'Take it back',
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
});
