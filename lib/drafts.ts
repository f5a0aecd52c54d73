/** Texts that were written and not sent, by where they were written. They live as long as the page does. */
const drafts = new Map<string, string>();
const listeners = new Set<() => void>();

/** Calls `listener` after every change; gives back what ends that. */
export function subscribeToDrafts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The unsent text at `key`; empty where there is none. */
export function draftAt(key: string): string {
  return drafts.get(key) ?? '';
}

/** Replaces the unsent text at `key`. */
export function writeDraft(key: string, text: string): void {
  if (text === '') drafts.delete(key);
  else drafts.set(key, text);
  for (const listener of listeners) listener();
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
