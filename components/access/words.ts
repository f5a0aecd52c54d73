import { issuesOf, messageOf } from '#components/api/api-error.ts';
import { inYourLanguage, wordOf } from '#components/in-your-language.ts';
import { MIN_PASSWORD } from '#server/core/limits';

/** Texts about signing in, people and keys. */
export const accessStrings = inYourLanguage('accessStrings', {
  /** Names of the fields in error messages. */
  fields: {
    name: 'The name',
    email: 'The e-mail address',
    password: 'The password',
    current: 'The current password',
    next: 'The new password',
    code: 'The code',
    scopes: 'What the key may do',
  },
  refused: (field: string, message: string) => `${field} ${message}.`,
  login: {
    title: 'Sign in',
    email: 'E-mail address',
    password: 'Password',
    submit: 'Sign in',
    submitting: 'Signing in…',
    passkey: 'Sign in with a passkey',
    provider: (name: string) => `Sign in with ${name}`,
    /** Messages by the error code that the provider's redirect ends with. */
    providerErrors: {
      signup_disabled: 'Nobody here has the e-mail address of that account. Ask an administrator to add you.',
      unable_to_create_user: 'Nobody here has the e-mail address of that account. Ask an administrator to add you.',
      provider_unreachable: 'The provider does not answer. Try again later, or sign in with your password.',
      client_refused:
        'The provider refuses this server: its client id or secret is wrong. Tell an administrator, or sign in with your password.',
      code_refused: 'The provider no longer accepts this sign-in. Begin again.',
      issuer_mismatch:
        'The provider is not the one that is set here. Tell an administrator, or sign in with your password.',
      email_not_verified:
        'The provider does not say that your e-mail address is verified, so it cannot be used to sign in here.',
      account_not_linked:
        'The provider does not say that your e-mail address is verified, so it cannot be used to sign in here.',
      email_not_found: 'The provider did not tell your e-mail address.',
      access_denied: 'The sign-in was cancelled at the provider.',
      BANNED: 'This account is suspended. Ask an administrator.',
      other: 'The sign-in with the provider did not work. Try again, or sign in with your password.',
    },
    codeTitle: 'One more step',
    codeBody: 'Enter the six digits that your app shows for this site.',
    code: 'One-time code',
    recoveryBody: 'Enter one of the recovery codes that you kept when you set up your app. Each works once.',
    recovery: 'Recovery code',
    toRecovery: 'No access to the app? Use a recovery code',
    toCode: 'Use a code of the app',
    forgotten: 'Forgotten your password? An administrator can give you a link for a new one.',
    forgottenLink: 'Forgotten your password?',
    elsewhere: 'You are using another address of this server. Sign in at its main address:',
    goElsewhere: (origin: string) => `Go to ${origin.replace(/^https?:\/\//, '')}`,
  },
  /** For actions that need a recent sign-in. */
  again: {
    title: 'Sign in again',
    body: 'This needs a sign-in within the last half hour, so that nobody can do it who finds your browser open. Sign in once more.',
    noTime: (provider: string) =>
      `If you are asked again after signing in with ${provider}: ${provider} does not say when you signed in there. Add a passkey under Account right after signing in, and use it here.`,
  },
  /** Sign-in factors of the current user. */
  factors: {
    title: 'How you sign in',
    body: 'Besides the password: a passkey on a device that asks for a finger, a face or a PIN, or the codes of an app. Either keeps out who has found out your password.',
    loadFailed: 'This could not be loaded.',
    passkeys: 'Passkeys',
    passkeysBody: 'Sign in with your device instead of a password.',
    passkeysMissing: 'This browser offers no passkeys for this address. They need https, or localhost.',
    none: 'None yet.',
    added: 'Added:',
    addPasskey: 'Add a passkey',
    passkeyName: 'Name',
    passkeyNameHint: 'The device or password manager that keeps it.',
    passkeyKnown: 'This device has a passkey for you here already.',
    passkeyStopped: 'No passkey came from the device. Try again.',
    passkeyAdded: 'The passkey works from now on.',
    remove: 'Remove',
    removeOf: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove the passkey “${name}”?`,
    removeBody: 'It can no longer be used to sign in here. Delete it on the device, too.',
    totp: 'One-time codes',
    totpOff: 'An app on your phone shows a new code every 30 seconds, which is asked for after your password.',
    totpOn: 'On: a code of your app is asked for after your password.',
    turnOn: 'Set up an app',
    turnOff: 'Turn off',
    turnOffTitle: 'Turn off one-time codes',
    turnOffBody: 'Your password alone lets you in then.',
    setUpTitle: 'Set up an app for one-time codes',
    setUpBody: 'Scan this picture with an authenticator app, or type the key. Then enter the code that it shows.',
    picture: 'QR code for the authenticator app',
    key: 'Key',
    copyKey: 'Copy the key',
    recoveryTitle: 'Recovery codes',
    recoveryBody:
      'Keep these where you find them without your phone. Each stands for a code once; they are not shown again.',
    copyRecovery: 'Copy the recovery codes',
    password: 'Current password',
    next: 'Next',
    confirm: 'Turn on',
    saving: 'Saving…',
    totpAdded: 'A code is asked for from now on.',
    totpRemoved: 'No code is asked for any more.',
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
  /** Request for a password reset link. */
  reset: {
    title: 'A new password',
    body: 'Enter your e-mail address. If it has an account here, a mail with a link is on its way a moment later.',
    submit: 'Mail me a link',
    submitting: 'Sending…',
    sent: (email: string) =>
      `If ${email} has an account here, a mail with a link is on its way. The link works once, for an hour. Nothing there? Look among the spam, or ask an administrator for a link.`,
    back: 'Back to the sign-in',
  },
  /** The page that reset links and invitations lead to. */
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
    title: 'Create the owner account',
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
    roleSaved: (name: string, role: string) => `${name}: the role is ${role} now.`,
    undo: 'Undo',
    ownRole: {
      title: 'Give up your rights as an administrator?',
      body: (role: string) =>
        `Your role is then ${role}, and the settings are closed to you. Only another administrator can change that back.`,
      confirm: 'Give them up',
    },
    rightsGone: {
      title: 'You are no administrator any more',
      body: (role: string) =>
        `Your role is ${role} now. The assistant and your conversations are open to you as before.`,
      go: 'Go to the assistant',
    },
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
    bannedNow: (name: string) => `${name} is suspended, and signed out everywhere.`,
    ownBan: {
      title: 'Suspend yourself?',
      body: 'You are signed out at once, and can sign in again only when another administrator has reinstated you.',
      confirm: 'Suspend me',
    },
    unban: 'Reinstate',
    unbanned: (name: string) => `${name} can sign in again.`,
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
      allSites: 'May work on all sites',
      allSitesHint:
        'Otherwise on those chosen below only. Of the others they see nothing, not even their own conversations there.',
      site: (name: string) => `May work on ${name}`,
      secondFactor: 'Also remove passkeys and one-time codes',
      secondFactorHint: 'For who has lost their phone or device: the password alone lets them in then.',
      revokeKeys: 'Also revoke their API keys',
      revokeKeysHint: 'Programs that use them stop at once; their unanswered messages wait for their owner.',
      save: 'Save',
      saving: 'Saving…',
    },
  },
  personalData: {
    title: 'Personal data',
    body: 'Everything that is stored about one person, by their e-mail address: to hand over as a file, or to erase. Visitors who have only sent a form are found, too.',
    email: 'E-mail address of the person',
    show: 'Show',
    busy: 'Please wait…',
    found: (email: string) => `Stored about ${email}`,
    erased: (email: string) => `Erased: ${email}`,
    account: (name: string) => `Account: ${name}`,
    noAccount: 'No account',
    conversations: (count: number, names: string) => `Conversations: ${named(count, names)}`,
    attachments: (count: number, names: string) => `Files in them: ${named(count, names)}`,
    pictures: (count: number, names: string) => `Pictures that no page uses: ${named(count, names)}`,
    keptPictures: (count: number, names: string) => `Pictures that pages use, which stay: ${named(count, names)}`,
    submissions: (count: number, names: string) => `Form messages: ${named(count, names)}`,
    others: (count: number) => `Sign-ins, passkeys, API keys and other records of the account: ${count}`,
    renamed: (count: number) => `Log entries that stay, by “Deleted person”: ${count}`,
    download: 'Download as a file',
    eraseOpen: 'Erase…',
    erase: 'Erase',
    eraseTitle: (email: string) => `Erase everything about ${email}?`,
    eraseBody:
      'Account, conversations, files, unused pictures and form messages are deleted. Changes of the site stay, by “Deleted person”. Backups still contain the data. This cannot be undone.',
  },
});

/** A count, with the names if there are any. */
function named(count: number, names: string): string {
  return count === 0 ? '0' : `${count} (${names})`;
}

/**
 * The reason why a form about people or keys was refused. Problems of single fields are more precise than the general
 * message.
 */
export function accessProblem(error: unknown): string {
  const { fields, refused } = accessStrings;
  const all = issuesOf(error) as readonly { readonly path: string; readonly message: string }[];
  // A problem of the whole form is in the general message.
  const issues = all.filter(({ path }) => path !== '');
  const problems = issues.map(({ path, message }) =>
    refused(wordOf<string>(fields, path.split('.').at(-1) ?? '') ?? path, message),
  );
  return problems.length === 0 ? messageOf(error) : problems.join(' ');
}

/** Texts for a person whose sign-in has expired. */
export const expiredStrings = inYourLanguage('expiredStrings', {
  title: 'You have been signed out',
  body: 'Sign in to go on. What you have written on this page is kept.',
  elsewhere: 'Sign in another way',
  comeBack: 'in a new tab, then come back to this one.',
});
