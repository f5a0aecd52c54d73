import type { PullProgress } from '#server/core/remote-site';

const number = new Intl.NumberFormat('en-US');
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

const phases: Record<PullProgress['phase'], string> = {
  pages: 'Pages',
  posts: 'Posts',
  media: 'Pictures',
  site: 'Menu and settings',
};

/** Every sentence about the site that is worked on, and the WordPress sites that it could be. */
export const siteStrings = {
  title: 'Site',
  body: 'What the assistant works on: the site that is kept here, or a WordPress site of yours. One at a time, for everybody.',
  loadFailed: 'The sites could not be loaded.',
  retry: 'Try again',
  own: 'The site kept here',
  ownBody: 'Pages, posts and pictures in our own database. /site shows visitors the site that is worked on.',
  active: 'Worked on now',
  ready: 'Connected',
  notYet: 'Not taken over yet',
  pulling: 'Being taken over…',
  faulty: 'Needs attention',
  meanwhile: 'Until this is mended, what was taken over can be read, and nothing is written.',
  by: (userName: string, version: string | null) => `As ${userName}${version === null ? '' : `, WordPress ${version}`}`,
  pulledAt: (time: number) => `Taken over: everything up to ${moment.format(time)}`,
  progress: ({ phase, done, total }: PullProgress) =>
    total === 0 ? `${phases[phase]}…` : `${phases[phase]}: ${number.format(done)} of ${number.format(total)}`,
  progressOf: (name: string) => `Taking over ${name}`,
  remarks: (count: number) => `Good to know (${number.format(count)})`,
  empty: 'No WordPress site yet.',
  connect: 'Connect a WordPress site',
  work: 'Work on this site',
  workOf: (name: string) => `Work on this site: ${name}`,
  pull: 'Take over changes now',
  pullOf: (name: string) => `Take over changes now: ${name}`,
  edit: 'User and password',
  editOf: (name: string) => `User and password of ${name}`,
  disconnect: 'Disconnect',
  disconnectOf: (name: string) => `Disconnect ${name}`,
  unsaved: 'Save or discard the standing instructions first: they belong to the present site.',
  switchTo: {
    title: (name: string) => `Work on ${name}?`,
    body: (name: string) =>
      `From now on every conversation, the preview, the library, the API and what visitors see at /site are about ${name}, for everybody. Conversations keep what was said; what they did to the other site can be undone once that is worked on again. Standing instructions belong to each site. Tell the people who are talking to the assistant.`,
    confirm: 'Work on it',
    done: (name: string) => `The assistant now works on ${name}.`,
  },
  leave: {
    title: (name: string) => `Disconnect ${name}?`,
    body: 'Nothing changes in WordPress. What is kept only here goes: drafts of published pages that were not published, the history of changes with its undo, and the standing instructions of this site. Then revoke the application password in WordPress.',
    done: (name: string) => `${name} is disconnected.`,
  },
  form: {
    addTitle: 'Connect a WordPress site',
    editTitle: (name: string) => `User and password of ${name}`,
    url: 'Address of the site',
    urlHint:
      'As visitors know it, like https://example.org. It must be encrypted (https), unless it is on this machine or in your own network.',
    username: 'User name in WordPress',
    usernameHint:
      'What this user may do is what the assistant may do there. The role Editor is enough for content; menus, site title and home page need an administrator.',
    password: 'Application password',
    passwordHint:
      'Not the one you sign in with: in WordPress, open Users → Profile, go to “Application Passwords”, enter a name like “Assistant” and choose “Add”. Copy what it shows here. It is stored encrypted and never shown again.',
    stored: 'stored; type to replace it',
    test: 'Test the connection',
    testing: 'Connecting…',
    connect: 'Connect and take over',
    connecting: 'Connecting…',
    save: 'Save',
    saving: 'Testing…',
    passes: (name: string, userName: string, version: string | null) =>
      `This is ${name}${version === null ? '' : ` (WordPress ${version})`}, and you are ${userName} there.`,
  },
  badge: (name: string) => `On ${name}`,
} as const;
