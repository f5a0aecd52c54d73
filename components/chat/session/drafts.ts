import { atom } from 'nanostores';

/** Key of the draft on the empty desk, before a conversation exists. */
export const NEW_DRAFT = 'new';

/** A text that is being sent. */
export interface SentText {
  /** Idempotency key of its message. */
  readonly id: string;
  readonly text: string;
  /** Newest message of the conversation known at the time of sending; empty if there were none. */
  readonly after: string;
}

/** A stored text; `isReturned` once a later page has put it back into the field. */
type KeptText = SentText & { readonly isReturned?: true };

/** Prefixes of the keys in the browser's storage. */
const PREFIX = 'throughline-draft:';
const SENT_PREFIX = 'throughline-sent:';

/**
 * Unsent texts by key. Each tab has its own, and they survive its reload; without browser storage they live as long as
 * the page.
 */
const drafts = new Map<string, string>();
/** Sent texts without a response yet, by key. */
const sentTexts = new Map<string, readonly KeptText[]>();
/** Idempotency keys of texts that this page sent; others in the storage belong to an earlier page. */
const ownIds = new Set<string>();
/** Counts changes of all drafts. */
const revision = atom(0);

/** Calls `listener` after every change; returns the unsubscribe function. */
export function subscribeToDrafts(listener: () => void): () => void {
  return revision.listen(() => listener());
}

/**
 * The unsent text at `key`; empty if none is stored. Contains again the texts that an earlier page sent without
 * receiving the response.
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
  revision.set(revision.get() + 1);
}

/**
 * Removes a sent text from the draft at `key`, if it consists of whole paragraphs there. Other text that was put back
 * into the field stays, and so does a longer text that only contains it.
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

/** Puts back a text that could not be sent, below the present text at `key`. */
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
 * Stores a text that was sent from the field at `key`, until `settleSent`: if the page is left before the response, the
 * next page puts the text back into its field.
 */
export function keepSent(key: string, sent: SentText): void {
  ownIds.add(sent.id);
  writeSent(key, [...sentAt(key).filter(({ id }) => id !== sent.id), sent]);
}

/** Forgets a sent text: the server has it, it is in the field again, or the user gave it up. */
export function settleSent(key: string, id: string): void {
  const kept = sentAt(key);
  if (kept.some((text) => text.id === id))
    writeSent(
      key,
      kept.filter((text) => text.id !== id),
    );
}

/** Texts in the field at `key` that an earlier page sent; the server may have received them. */
export function returnedTexts(key: string): readonly SentText[] {
  draftAt(key);
  return sentAt(key).filter(({ isReturned }) => isReturned);
}

/** The idempotency key under which an earlier page sent `text`, if it did. Other texts of that page are forgotten. */
export function takeReturnedId(key: string, text: string): string | undefined {
  const returned = returnedTexts(key);
  if (returned.length > 0)
    writeSent(
      key,
      sentAt(key).filter(({ isReturned }) => !isReturned),
    );
  return returned.find((sent) => sent.text === text)?.id;
}

/** Discards all unsent texts of this tab, because the next person at this browser may be another one. */
export function forgetDrafts(): void {
  drafts.clear();
  sentTexts.clear();
  const isOurs = (key: string) => key.startsWith(PREFIX) || key.startsWith(SENT_PREFIX);
  try {
    for (const key of Object.keys(sessionStorage)) if (isOurs(key)) sessionStorage.removeItem(key);
  } catch {
    // Storage is not available.
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

/** Only this module writes these values; invalid ones are ignored. */
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

/** Stores a text if storage is available and not full. */
function store(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // The text lives as long as the page.
  }
}
