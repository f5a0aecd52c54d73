/** Every sentence about other assistants that use the site, and their calls. */
export const callStrings = {
  title: 'Waiting for you',
  mark: (count: number) => (count === 1 ? '1 call waits for you' : `${count} calls wait for you`),
  body: 'What other assistants want to do with your API keys and may not do alone. Nothing is done until you decide; what you approve is done when the assistant asks again.',
  empty: 'Nothing waits for you.',
  loading: 'Loading what waits for you…',
  loadFailed: 'What waits for you could not be loaded.',
  retry: 'Try again',
  list: 'Calls that wait',
  /** @param owner null: your own, or there are no accounts */
  asks: (key: string | null, owner: string | null) =>
    `${key === null ? 'A program without a key' : `“${key}”`}${owner === null ? '' : `, a key of ${owner},`} asks:`,
  details: 'What was asked for',
  until: 'Asked:',
  approve: 'Approve',
  approveOf: (title: string) => `Approve: ${title}`,
  deny: 'Deny',
  denyOf: (title: string) => `Deny: ${title}`,
  approved: 'Approved. It is done when the assistant asks again.',
  denied: 'Denied. The assistant is told.',
  connect: {
    title: 'Connect another assistant',
    body: 'Assistants that speak the Model Context Protocol can read the site and work on its drafts with a key of their own. To publish, delete or change what visitors see, they ask: it waits for you under',
    account: 'Account, Waiting for you',
    end: '.',
    create: 'Create a key for an assistant',
    former:
      'Keys made before keep what they had. One that may “Change the site” is asked about under /mcp too, but over REST it publishes and deletes without asking: revoke it and create one for drafts here.',
    address: 'Address',
    copyAddress: 'Copy the address',
    snippet: 'Configuration',
    copySnippet: 'Copy the configuration',
    key: 'YOUR_KEY',
  },
};
