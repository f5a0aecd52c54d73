// A plain number; a copy of it could differ from what the server takes.
// oxlint-disable-next-line no-restricted-imports
import { MIN_PASSWORD } from '#server/core/people';

/** What fields are called where they are refused. */
const fields: Readonly<Record<string, string>> = {
  name: 'The name',
  email: 'The e-mail address',
  password: 'The password',
  current: 'The present password',
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
    forgotten: 'Forgotten your password? An administrator can set a new one.',
    elsewhere: 'You came by another address of this server. Signing in works at its own:',
    goElsewhere: (origin: string) => `Go to ${origin.replace(/^https?:\/\//, '')}`,
  },
  local: {
    title: 'No sign-in needed',
    body: 'Throughline runs in local mode: it can be reached from this computer only, and whoever sits here is its owner.',
    go: 'Open the assistant',
  },
  owner: {
    title: 'Create the owner',
    body: 'Nobody has an account here yet. The first one is an administrator, and owns every conversation that was made in local mode.',
    code: 'Code from the log',
    codeHint:
      'The server wrote it to its log (what it prints in its terminal) when it was started last. A restart makes another one.',
    name: 'Your name',
    passwordHint: `At least ${MIN_PASSWORD} characters. Three or four words are easy to keep in mind.`,
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
    roles: { editor: 'Editor', admin: 'Administrator' },
    change: 'Name and password',
    keys: 'API keys',
    signOut: 'Sign out',
  },
  own: {
    title: 'Name and password',
    name: 'Name',
    current: 'Present password',
    next: 'New password',
    nextHint: `At least ${MIN_PASSWORD} characters; empty leaves it as it is. It signs you out in every other browser.`,
    revokeKeys: 'Also revoke my API keys',
    revokeKeysHint: 'Programs that use them stop at once; what they have sent and is not answered waits for you.',
    save: 'Save',
    saving: 'Saving…',
    saved: 'Your account is changed.',
  },
  people: {
    title: 'People',
    body: 'Who may sign in. Editors talk to the assistant in conversations of their own and edit the site; administrators look after every conversation, the settings and the people too.',
    local:
      'Nobody signs in here: the server runs in local mode, for whoever sits at this machine. With AUTH_MODE=accounts the first account takes over everything that is here.',
    loadFailed: 'The people could not be loaded.',
    add: 'Add somebody',
    you: 'you',
    banned: 'suspended',
    roleOf: (name: string) => `${name}: role`,
    edit: 'Edit',
    editOf: (name: string) => `Edit ${name}`,
    ban: 'Suspend',
    banOf: (name: string) => `Suspend ${name}`,
    unban: 'Let in again',
    unbanOf: (name: string) => `Let ${name} in again`,
    remove: 'Delete',
    removeOf: (name: string) => `Delete ${name}`,
    removeTitle: (name: string) => `Delete ${name}?`,
    removeBody:
      'They are signed out at once and their API keys stop working. Their conversations stay, and administrators still see them. This cannot be taken back.',
    form: {
      addTitle: 'Add somebody',
      editTitle: (name: string) => `Edit ${name}`,
      name: 'Name',
      email: 'E-mail address',
      role: 'Role',
      password: 'First password',
      passwordHint: `At least ${MIN_PASSWORD} characters. Tell it to them; they can change it.`,
      newPassword: 'New password',
      newPasswordHint: `At least ${MIN_PASSWORD} characters; empty leaves it as it is. A new one signs them out everywhere.`,
      revokeKeys: 'Also revoke their API keys',
      revokeKeysHint:
        'Programs that use them stop at once; what they have sent and is not answered waits for its owner.',
      save: 'Save',
      saving: 'Saving…',
    },
  },
};
