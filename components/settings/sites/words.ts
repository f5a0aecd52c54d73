import { dates, number } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';
import type { PullProgress } from '#server/core/site/remote-site';

const moment = dates({ dateStyle: 'medium', timeStyle: 'short' });

const phases: Record<PullProgress['phase'], string> = {
  pages: 'Pages',
  posts: 'Posts',
  media: 'Pictures',
  site: 'Menu and settings',
};

/** Texts about the sites. */
export const sitesStrings = inYourLanguage('sitesStrings', {
  title: 'Site',
  body: 'The built-in site, and your WordPress sites. Each conversation works on one of them; choose which at the top of the page. Who may work on which is set under “People”.',
  loadFailed: 'The sites could not be loaded.',
  own: 'Built-in site',
  ownBody: 'Pages, posts and pictures in this server’s database. /site shows visitors the default site.',
  active: 'Default',
  ready: 'Connected',
  notYet: 'Not fetched yet',
  pulling: 'Fetching…',
  faulty: 'Needs attention',
  meanwhile: 'Until this is fixed, the fetched content can be read, and nothing is written.',
  by: (userName: string, version: string | null) => `As ${userName}${version === null ? '' : `, WordPress ${version}`}`,
  pulledAt: (time: number) => `Fetched: everything up to ${moment.format(time)}`,
  progress: ({ phase, done, total }: PullProgress) =>
    total === 0 ? `${phases[phase]}…` : `${phases[phase]}: ${number.format(done)} of ${number.format(total)}`,
  progressOf: (name: string) => `Fetching ${name}`,
  remarks: (count: number) => `Good to know (${number.format(count)})`,
  empty: 'No WordPress site yet.',
  connect: 'Connect a WordPress site',
  work: 'Make it the default',
  workOf: (name: string) => `Make it the default: ${name}`,
  pull: 'Fetch changes now',
  pullOf: (name: string) => `Fetch changes now: ${name}`,
  edit: 'User and password',
  editOf: (name: string) => `User and password of ${name}`,
  disconnect: 'Disconnect',
  disconnectOf: (name: string) => `Disconnect ${name}`,
  switchTo: {
    title: (name: string) => `Make ${name} the standard?`,
    body: (name: string) =>
      `Visitors of /site, programs that name no site, and whoever has not chosen one get ${name} from now on. Conversations stay with their site.`,
    confirm: 'Make it the standard',
    done: (name: string) => `${name} is the standard now.`,
  },
  leave: {
    title: (name: string) => `Disconnect ${name}?`,
    body: 'Nothing changes in WordPress. Everything kept only here is deleted: unpublished drafts of published pages, the history of changes with its undo, and the standing instructions of this site. Its conversations can still be read, but not continued. Then revoke the application password in WordPress.',
    done: (name: string) => `${name} is disconnected.`,
  },
  form: {
    addTitle: 'Connect a WordPress site',
    editTitle: (name: string) => `User and password of ${name}`,
    url: 'Address of the site',
    urlHint:
      'The address visitors use, like https://example.org. It must use https, unless it is on this machine or in your own network.',
    username: 'User name in WordPress',
    usernameHint:
      'The assistant has the permissions of this user. The role Editor is enough for content; menus, site title and home page need an administrator.',
    password: 'Application password',
    passwordHint:
      'Not the one you sign in with: in WordPress, open Users → Profile, go to “Application Passwords”, enter a name like “Assistant” and choose “Add”. Copy what it shows here. It is stored encrypted and never shown again.',
    proxy: 'Password of the web server (optional)',
    proxyHint:
      'Only for a site that asks for a name and a password before WordPress is reached, as staging sites do. Enter them as name:password. WordPress needs the companion plugin for this.',
    stored: 'stored; type to replace it',
    test: 'Test the connection',
    testing: 'Connecting…',
    connect: 'Connect and fetch',
    connecting: 'Connecting…',
    save: 'Save',
    saving: 'Testing…',
    passes: (name: string, userName: string, version: string | null) =>
      `This is ${name}${version === null ? '' : ` (WordPress ${version})`}, and you are ${userName} there.`,
  },
  badge: (name: string) => `On ${name}`,
});
