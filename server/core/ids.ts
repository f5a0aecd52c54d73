import { monotonicFactory } from 'ulid';

/** Random numbers that are generated at once: generating many costs little more than generating one. */
const BATCH = 512;
let drawn = new Uint32Array(0);
let used = 0;

/** A random number from 0 to below 1. */
function random(): number {
  if (used === drawn.length) {
    drawn = crypto.getRandomValues(new Uint32Array(BATCH));
    used = 0;
  }
  return drawn[used++]! / 2 ** 32;
}

const nextUlid = monotonicFactory(random);

/** Prefixes of row ids, one for each kind of row. Ids are stored: do not rename a prefix. */
export type IdPrefix =
  | 'ses'
  | 'msg'
  | 'prt'
  | 'trn'
  | 'cmp'
  | 'que'
  | 'own'
  | 'blb'
  | 'mcp'
  | 'wps'
  | 'usr'
  | 'key'
  | 'sin'
  | 'acc'
  | 'ver'
  | 'tfa'
  | 'psk'
  | 'aud'
  | 'rnd'
  | 'prc'
  | 'imp'
  | 'req'
  | 'kep'
  | 'edt'
  | 'sub'
  | 'lnk'
  | 'cmt'
  | 'del'
  | 'bak';

/**
 * Creates the id of a row: `<prefix>_<ulid>`. Ids of one process sort by the time of their creation, also within the same
 * millisecond.
 */
export function createId(prefix: IdPrefix): string {
  return `${prefix}_${nextUlid().toLowerCase()}`;
}

/** Prefixes of ids that a model reads and repeats; short, because each one costs tokens. */
export type ShortIdPrefix = 'pag' | 'pos' | 'sec' | 'chg' | 'ast';

/** No vowels (no words by accident) and no characters that look alike. */
const SHORT_ALPHABET = 'bcdfghjkmnpqrstvwxz23456789';
const SHORT_LENGTH = 6;

/**
 * Creates an id for something that a model names: `<prefix>_<6 characters>`, about 7 tokens where a ULID costs 26. 27^6
 * (387 million) values; the store's primary key refuses the rare collision.
 */
export function createShortId(prefix: ShortIdPrefix): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SHORT_LENGTH));
  const letters = Array.from(bytes, (byte) => SHORT_ALPHABET[byte % SHORT_ALPHABET.length]);
  return `${prefix}_${letters.join('')}`;
}

/** Creates a short id that is not taken: short ids are few enough to collide over a long lifetime. */
export async function createFreeShortId(
  prefix: ShortIdPrefix,
  isTaken: (id: string) => Promise<boolean>,
): Promise<string> {
  for (;;) {
    const id = createShortId(prefix);
    if (!(await isTaken(id))) return id;
  }
}

/** Start of the id that all changes of one restore have instead of a tool call id. */
const RESTORE_PREFIX = 'back_';

/** Step id for restoring things to their state after a change. @param part distinguishes it from other steps */
export function restoreStepId(changeId: string, part: string): string {
  return `${RESTORE_PREFIX}${changeId}_${part}`;
}

/** Id of the change to which a step restored things; null for the id of a tool call, or no id. */
export function changeOfRestoreStep(step: string | undefined): string | null {
  return /^back_(chg_[0-9a-z]+)_/.exec(step ?? '')?.[1] ?? null;
}
