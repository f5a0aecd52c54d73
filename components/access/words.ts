import { MIN_PASSWORD } from '#server/core/limits';

/** Names of the fields in error texts. */
const fields: Readonly<Record<string, string>> = {
  name: 'The name',
  email: 'The e-mail address',
  password: 'The password',
  current: 'The current password',
  next: 'The new password',
  code: 'The code',
  scopes: 'What the key may do',
};

/** Every sentence about signing in, people and keys. */
export const accessStrings = {
  refused: ({ path, message }: { readonly path: string; readonly message: string }) =>
    `${fields[path.split('.').at(-1) ?? ''] ?? path} ${message}.`,
  login: {
    title: 'Sign in',
    email: 'E-mail address',
    password: 'Password',
    submit: 'Sign in',
    submitting: 'Signing in…',
    forgotten: 'Forgotten your password? An administrator can give you a link for a new one.',
    forgottenLink: 'Forgotten your password?',
    elsewhere: 'You are using another address of this server. Sign in at its main address:',
    goElsewhere: (origin: string) => `Go to ${origin.replace(/^https?:\/\//, '')}`,
  },
  /** A sign-in of a moment ago is wanted. */
  again: {
    title: 'Sign in again',
    body: 'You are about to change who may do what. So that nobody does this who finds your browser open, enter your password once more.',
  },
  /** The browsers of the signed-in user. */
  signIns: {
    title: 'Where you are signed in',
    body: 'Every browser that you have signed in with. One that you do not know: sign it out, and choose a new password.',
    loadFailed: 'The browsers could not be loaded.',
    current: 'this browser',
    unknown: 'Unknown browser',
    on: (browser: string, system: string) => `${browser} on ${system}`,
    since: 'Signed in:',
    lastUsed: 'Last used:',
    end: 'Sign out',
    endOf: (browser: string) => `Sign out ${browser}`,
    everywhere: 'Sign out everywhere',
    everywhereTitle: 'Sign out everywhere?',
    everywhereBody: 'This browser is signed out, too. Programs go on with their API keys.',
  },
  /** A link for a forgotten password. */
  reset: {
    title: 'A new password',
    body: 'Enter your e-mail address. If it has an account here, a mail with a link is on its way a moment later.',
    submit: 'Mail me a link',
    submitting: 'Sending…',
    sent: (email: string) =>
      `If ${email} has an account here, a mail with a link is on its way. The link works once, for an hour. Nothing there? Look among the spam, or ask an administrator for a link.`,
    back: 'Back to the sign-in',
  },
  /** The page that such a link, and an invitation, leads to. */
  choose: {
    invited: 'Welcome',
    invitedBody: 'Choose a password for your account. You sign in with it and your e-mail address from now on.',
    reset: 'Choose a new password',
    resetBody: 'It signs you out in every other browser and revokes your API keys.',
    submit: 'Save and sign in',
    submitting: 'Saving…',
    noToken: 'This link is not complete. Open it from the mail again, or copy all of it.',
  },
  local: {
    title: 'No sign-in needed',
    body: 'Throughline runs in local mode: it can be reached from this computer only, and whoever uses this computer is its owner.',
    go: 'Open the assistant',
  },
  owner: {
    title: 'Create the owner',
    body: 'Nobody has an account here yet. The first person is an administrator and owns every conversation that was made in local mode.',
    code: 'Code from the log',
    codeHint:
      'The server wrote it to its log (what it prints in its terminal) when it last started. A restart creates a new one.',
    name: 'Your name',
    passwordHint: `At least ${MIN_PASSWORD} characters. Three or four words are easy to remember.`,
    submit: 'Create the account',
    submitting: 'Creating…',
  },
  forbidden: {
    title: 'Only for administrators',
    body: 'These pages show every conversation and all settings. Ask an administrator if you need something changed.',
    home: 'Go to the assistant',
  },
  account: {
    open: (name: string) => `${name}: account`,
    roles: { author: 'Author', editor: 'Editor', admin: 'Administrator' },
    change: 'Name and password',
    keys: 'API keys',
    signOut: 'Sign out',
  },
  own: {
    title: 'Name and password',
    name: 'Name',
    current: 'Current password',
    next: 'New password',
    nextHint: `At least ${MIN_PASSWORD} characters. Leave it empty to keep the current one. A new one signs you out in every other browser.`,
    revokeKeys: 'Also revoke my API keys',
    revokeKeysHint: 'Programs that use them stop at once; their unanswered messages wait for you.',
    save: 'Save',
    saving: 'Saving…',
    saved: 'Your account was updated.',
  },
  people: {
    title: 'People',
    body: 'People who can sign in, and talk to the assistant in their own conversations. Authors write drafts, editors also publish and approve what authors ask for, administrators also manage every conversation, the settings and the people.',
    local:
      'No sign-in is needed: the server runs in local mode, for whoever uses this machine. With AUTH_MODE=accounts, the first account takes over everything that is here.',
    loadFailed: 'The people could not be loaded.',
    add: 'Add a person',
    you: 'you',
    banned: 'suspended',
    invited: 'invited, no password yet',
    roleOf: (name: string) => `${name}: role`,
    edit: 'Edit',
    editOf: (name: string) => `Edit ${name}`,
    link: 'Password link',
    linkOf: (name: string) => `Send ${name} a link to choose a password`,
    linkMailed: (email: string) => `A link to choose a password is on its way to ${email}.`,
    linkTitle: (name: string) => `A link for ${name}`,
    linkBody: (until: string) =>
      `Hand it over in person or by a message that only they read. Whoever opens it first chooses the password. It works once, until ${until}.`,
    linkFailed: (problem: string) => `It could not be mailed: ${problem}`,
    linkField: 'Link',
    linkCopy: 'Copy the link',
    linkDone: 'Done',
    ban: 'Suspend',
    banOf: (name: string) => `Suspend ${name}`,
    unban: 'Reinstate',
    unbanOf: (name: string) => `Reinstate ${name}`,
    remove: 'Delete',
    removeOf: (name: string) => `Delete ${name}`,
    removeTitle: (name: string) => `Delete ${name}?`,
    removeBody:
      'They are signed out at once and their API keys stop working. Their conversations stay, and administrators still see them. This cannot be undone.',
    form: {
      addTitle: 'Add a person',
      editTitle: (name: string) => `Edit ${name}`,
      name: 'Name',
      email: 'E-mail address',
      role: 'Role',
      password: 'First password',
      passwordHint: `Leave it empty to invite them: they choose their own by a link. Otherwise at least ${MIN_PASSWORD} characters.`,
      newPassword: 'New password',
      newPasswordHint: `At least ${MIN_PASSWORD} characters. Leave it empty to keep the current one. A new one signs them out everywhere.`,
      revokeKeys: 'Also revoke their API keys',
      revokeKeysHint: 'Programs that use them stop at once; their unanswered messages wait for their owner.',
      save: 'Save',
      saving: 'Saving…',
    },
  },
};
