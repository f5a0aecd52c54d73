/** Key of the draft on the empty desk, before there is a conversation. */
export const NEW_DRAFT = 'new';

/** A text on its way to the server. */
export interface SentText {
  /** Idempotency key of the message that carries it. */
  readonly id: string;
  readonly text: string;
  /** Newest message of the conversation that was known when it was sent; empty where there was none. */
  readonly after: string;
}

/** A stored text; `isReturned` once a later page has put it back into the field. */
type KeptText = SentText & { readonly isReturned?: true };

/** Prefixes of the keys in the browser's storage. */
const PREFIX = 'throughline-draft:';
const SENT_PREFIX = 'throughline-sent:';

/**
 * Texts that were written and not sent, by where they were written. A tab has its own, and they survive a reload of it;
 * where the browser stores nothing, they live as long as the page does.
 */
const drafts = new Map<string, string>();
/** Texts without an answer yet, by where they were written. */
const sentTexts = new Map<string, readonly KeptText[]>();
/** Idempotency keys of what this page sent; others in the store are of an earlier page. */
const ownIds = new Set<string>();
const listeners = new Set<() => void>();

/** Calls `listener` after every change; gives back what ends that. */
export function subscribeToDrafts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * The unsent text at `key`; empty where there is none. Texts that an earlier page sent from here without seeing their
 * answer are in it again.
 */
export function draftAt(key: string): string {
  const known = drafts.get(key);
  if (known !== undefined) return known;
  const kept = sentAt(key);
  const isLost = ({ id, isReturned }: KeptText) => !isReturned && !ownIds.has(id);
  const written = kept.filter(isLost).reduce((all, { text }) => below(all, text), readStored(PREFIX + key));
  drafts.set(key, written);
  if (kept.some(isLost)) {
    store(PREFIX + key, written);
    writeSent(
      key,
      kept.map((text) => (isLost(text) ? { ...text, isReturned: true } : text)),
    );
  }
  return written;
}

/** Replaces the unsent text at `key`. */
export function writeDraft(key: string, text: string): void {
  drafts.set(key, text);
  store(PREFIX + key, text);
  for (const listener of listeners) listener();
}

/**
 * Removes a sent text from the draft at `key`, where it is a whole paragraph or several. Text that was put back beside it
 * meanwhile stays, and so does a longer text that only contains it.
 */
export function takeDraft(key: string, sent: string): void {
  if (sent === '') return;
  const written = draftAt(key);
  for (let at = written.indexOf(sent); at !== -1; at = written.indexOf(sent, at + 1)) {
    const [before, after] = [written.slice(0, at), written.slice(at + sent.length)];
    if (!/(?:^|\n)\s*$/.test(before) || !/^\s*(?:\n|$)/.test(after)) continue;
    writeDraft(key, (before + after).trim());
    return;
  }
}

/** Puts a text back that could not be sent: below what has been written at `key` meanwhile. */
export function returnToDraft(key: string, text: string): void {
  writeDraft(key, below(draftAt(key), text));
}

/** Moves the unsent text at `from` to `to`. */
export function moveDraft(from: string, to: string): void {
  const written = draftAt(from);
  if (written === '') return;
  returnToDraft(to, written);
  writeDraft(from, '');
}

/**
 * Keeps a text that has left the field at `key` until `settleSent`: a page that is left before the server has answered
 * gives it to the field of the next one.
 */
export function keepSent(key: string, sent: SentText): void {
  ownIds.add(sent.id);
  writeSent(key, [...sentAt(key).filter(({ id }) => id !== sent.id), sent]);
}

/** Forgets a text on its way: the server has it, it is in the field again, or its writer gave it up. */
export function settleSent(key: string, id: string): void {
  const kept = sentAt(key);
  if (kept.some((text) => text.id === id))
    writeSent(
      key,
      kept.filter((text) => text.id !== id),
    );
}

/** Texts in the field at `key` that an earlier page sent; the server may have them. */
export function returnedTexts(key: string): readonly SentText[] {
  draftAt(key);
  return sentAt(key).filter(({ isReturned }) => isReturned);
}

/** The idempotency key that `text` was sent under by an earlier page, if it was. Other texts of that page are let go. */
export function takeReturnedId(key: string, text: string): string | undefined {
  const returned = returnedTexts(key);
  if (returned.length > 0)
    writeSent(
      key,
      sentAt(key).filter(({ isReturned }) => !isReturned),
    );
  return returned.find((sent) => sent.text === text)?.id;
}

/** Throws every unsent text of this tab away: whoever sits here next is somebody else. */
export function forgetDrafts(): void {
  drafts.clear();
  sentTexts.clear();
  const isOurs = (key: string) => key.startsWith(PREFIX) || key.startsWith(SENT_PREFIX);
  try {
    for (const key of Object.keys(sessionStorage)) if (isOurs(key)) sessionStorage.removeItem(key);
  } catch {
    // Nothing is stored.
  }
}

function below(written: string, text: string): string {
  return written.trim() === '' ? text : `${written}\n\n${text}`;
}

function sentAt(key: string): readonly KeptText[] {
  const known = sentTexts.get(key);
  if (known) return known;
  const kept = parseSent(readStored(SENT_PREFIX + key));
  sentTexts.set(key, kept);
  return kept;
}

function writeSent(key: string, kept: readonly KeptText[]): void {
  sentTexts.set(key, kept);
  store(SENT_PREFIX + key, kept.length === 0 ? '' : JSON.stringify(kept));
}

/** Only this module writes them; unreadable ones are ignored. */
function parseSent(stored: string): readonly KeptText[] {
  try {
    return stored === '' ? [] : (JSON.parse(stored) as readonly KeptText[]);
  } catch {
    return [];
  }
}

function readStored(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** Stores a text; there may be no storage, or no room in it. */
function store(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // It is kept for as long as the page lives.
  }
}
