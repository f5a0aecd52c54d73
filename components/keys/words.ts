import { dates } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';
import type { Scope } from '#server/core/admin/access-rights';

const scopes: Record<Scope, { readonly name: string; readonly does: string }> = {
  chat: {
    name: 'Talk to the assistant',
    does: 'Your own conversations, and completions under /v1. With only this, the assistant neither reads nor changes the site.',
  },
  'content:read': { name: 'Read the site', does: 'Pages, posts, pictures and settings, drafts too.' },
  'content:draft': {
    name: 'Work on drafts',
    does: 'Edit drafts and add pictures; includes reading. Nothing visitors would notice, and no deleting: over /mcp it asks you.',
  },
  'content:write': { name: 'Change the site', does: 'Edit, publish, delete and undo, over REST without asking.' },
  admin: { name: 'Everything', does: 'All of the above, everyone’s conversations, the settings and the people.' },
};

const expiries = { '30': '30 days', '90': '90 days', '365': 'One year', never: 'Never' } as const;
export type Expiry = keyof typeof expiries;

const day = dates({ dateStyle: 'medium' });

/** Texts about API keys. */
export const keyStrings = inYourLanguage('keyStrings', {
  title: 'API keys',
  body: 'With a key, a program acts for you: over REST, as an OpenAI-compatible client under /v1, or as an assistant with tools under /mcp. A key can never do more than its user can.',
  scopes,
  prefix: (prefix: string) => `${prefix}…`,
  empty: 'There are no keys yet.',
  loading: 'Loading the keys…',
  loadFailed: 'The keys could not be loaded.',
  add: 'Create a key',
  reference: 'API reference',
  ofEverybody: 'Show everyone’s keys',
  owner: (name: string) => `of ${name}`,
  nobody: 'of a deleted account',
  created: (time: number) => `Created on ${day.format(time)}`,
  expires: (time: number) => `Expires on ${day.format(time)}`,
  expired: (time: number) => `Expired on ${day.format(time)}`,
  neverExpires: 'Does not expire',
  lastUsed: 'Last used:',
  neverUsed: 'Never used',
  revoke: 'Revoke',
  revokeOf: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeBody:
    'Programs that use this key are refused at once: answers in progress are stopped, and their waiting messages are kept for you to send. This cannot be undone.',
  form: {
    title: 'Create an API key',
    name: 'Name',
    nameHint: 'What the key is for, so that you know which one to revoke.',
    scopes: 'What it may do',
    expiry: 'Expires after',
    expiries,
    save: 'Create',
    saving: 'Creating…',
  },
  shown: {
    title: 'Your new key',
    body: 'Copy it now and keep it in a safe place. It is not shown again: only a hash of it is stored.',
    key: 'API key',
    copy: 'Copy the key',
    done: 'Done',
  },
  account: {
    title: 'Account',
    loading: 'Loading your account…',
    nav: 'Account',
    home: 'Throughline, account',
    skip: 'Skip to the content',
    back: 'Back to the assistant',
  },
});
