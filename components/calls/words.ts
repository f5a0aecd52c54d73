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
  mark: (count: number) => (count === 1 ? '1 call is waiting for you' : `${count} calls are waiting for you`),
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
