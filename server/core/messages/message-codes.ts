/**
 * Codes of the sentences that the server makes, with the names of their parameters. The texts are in
 * `messages/<language>.json`, under `server`. Codes and parameters are stored and part of the API: they are never renamed,
 * and never used for another sentence. messages/codes.txt keeps the list.
 */
export const messageParams = {
  // What a tool call would do, for the person who decides about it.
  'add-picture': ['file', 'source'],
  'address-changes': ['before', 'after', 'redirects'],
  'cancel-plan': ['title'],
  'change-draft': ['title'],
  'change-menu': ['isReplaced'],
  'change-picture': ['filename'],
  'change-settings': [],
  'create-draft': ['type', 'title'],
  'entry-not-changed': ['title', 'reason'],
  'entry-not-published': ['title', 'reason'],
  'home-page': [],
  'instruction-exists': [],
  'many-changes': [],
  'nothing-to-undo': [],
  'of-entry': ['title', 'text'],
  'picture-in-use': [],
  publish: ['title', 'path', 'time', 'isPrivate', 'isUpdate'],
  'publish-several': ['titles', 'entries', 'count'],
  remember: ['kind'],
  'replace-picture': ['filename', 'file'],
  'replace-text': ['count', 'left'],
  'replaces-instruction': ['text'],
  restore: ['title', 'isPublished', 'publishAt'],
  'restore-revision': ['title', 'isPublished', 'publishAt', 'revision'],
  revert: ['title', 'revision'],
  'shows-places': [],
  stays: ['text'],
  subpages: ['count'],
  trash: ['title', 'path', 'gone'],
  'trash-picture': ['filename'],
  undo: ['changeId', 'text'],
  'undo-all': ['count', 'scope'],
  'undo-together': ['changeId', 'text'],
  unpublish: ['title', 'path', 'gone'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type MessageCode = keyof typeof messageParams;
