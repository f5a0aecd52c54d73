/** Where a conversation begins: its messages are written before there is one. */
export const NEW_DRAFT = 'new';

/** Before their keys in the browser's store. */
const PREFIX = 'throughline-draft:';

/**
 * Texts that were written and not sent, by where they were written. A tab has its own, and they survive a reload of it;
 * where the browser stores nothing, they live as long as the page does.
 */
const drafts = new Map<string, string>();
const listeners = new Set<() => void>();

/** Calls `listener` after every change; gives back what ends that. */
export function subscribeToDrafts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The unsent text at `key`; empty where there is none. */
export function draftAt(key: string): string {
  const known = drafts.get(key);
  if (known !== undefined) return known;
  const stored = readStored(key);
  drafts.set(key, stored);
  return stored;
}

/** Replaces the unsent text at `key`. */
export function writeDraft(key: string, text: string): void {
  drafts.set(key, text);
  store(key, text);
  for (const listener of listeners) listener();
}

/** Takes what was sent out of the text at `key`; what was put back beside it meanwhile stays. */
export function takeDraft(key: string, sent: string): void {
  const written = draftAt(key);
  const at = written.indexOf(sent);
  if (at !== -1) writeDraft(key, (written.slice(0, at) + written.slice(at + sent.length)).trim());
}

/** Puts a text back that could not be sent: below what has been written at `key` meanwhile. */
export function returnToDraft(key: string, text: string): void {
  const written = draftAt(key);
  writeDraft(key, written.trim() === '' ? text : `${written}\n\n${text}`);
}

/** Takes the unsent text at `from` along to `to`. */
export function moveDraft(from: string, to: string): void {
  const written = draftAt(from);
  if (written === '') return;
  returnToDraft(to, written);
  writeDraft(from, '');
}

/** Throws every unsent text of this tab away: whoever sits here next is somebody else. */
export function forgetDrafts(): void {
  drafts.clear();
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Nothing is stored.
  }
}

function readStored(key: string): string {
  try {
    return sessionStorage.getItem(PREFIX + key) ?? '';
  } catch {
    return '';
  }
}

/** There may be no store, or no room in it. */
function store(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, text);
  } catch {
    // It is kept for as long as the page lives.
  }
}
