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
    body: 'Assistants that speak the Model Context Protocol can read and edit the site with a key that may read or change it. What you would be asked about in the chat waits for you under',
    account: 'Account, Waiting for you',
    end: '.',
    address: 'Address',
    copyAddress: 'Copy the address',
    snippet: 'Configuration',
    copySnippet: 'Copy the configuration',
    key: 'YOUR_KEY',
  },
};
