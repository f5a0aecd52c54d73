import { monotonicFactory } from 'ulid';

/** Random numbers that are drawn at once: one call for all costs little more than a call for one. */
const DRAWN = 512;
let drawn = new Uint32Array(0);
let used = 0;

/** A random number from 0 to below 1. */
function random(): number {
  if (used === drawn.length) {
    drawn = crypto.getRandomValues(new Uint32Array(DRAWN));
    used = 0;
  }
  return drawn[used++]! / 2 ** 32;
}

const nextUlid = monotonicFactory(random);

/** Prefixes of internal row ids, one per aggregate. */
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
  | 'imp'
  | 'req'
  | 'kep'
  | 'edt'
  | 'sub';

/**
 * A new internal row id: `<prefix>_<ulid>`. Ids made by one process sort by the time they were made,
 * also within the same millisecond.
 */
export function createId(prefix: IdPrefix): string {
  return `${prefix}_${nextUlid().toLowerCase()}`;
}

/** Prefixes of ids that a model reads and repeats; short, because every one costs tokens. */
export type ShortIdPrefix = 'pag' | 'pos' | 'sec' | 'chg' | 'ast';

/** No vowels (no words by accident) and no characters that look alike. */
const SHORT_ALPHABET = 'bcdfghjkmnpqrstvwxz23456789';
const SHORT_LENGTH = 6;

/**
 * A new id for something a model names: `<prefix>_<6 characters>`, about 7 tokens where a ULID costs 26.
 * 27^6 (387 million) values; the store's primary key refuses the rare collision.
 */
export function createShortId(prefix: ShortIdPrefix): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SHORT_LENGTH));
  const letters = Array.from(bytes, (byte) => SHORT_ALPHABET[byte % SHORT_ALPHABET.length]);
  return `${prefix}_${letters.join('')}`;
}

/** Start of the step id that all changes of one "bring back" share, in place of a tool call's id. */
const STEP = 'back_';

/** Step id for bringing things back to how they were after a change. @param part tells it from other steps */
export function bringBackStep(changeId: string, part: string): string {
  return `${STEP}${changeId}_${part}`;
}

/** Id of the change that a step brought things back to; null for the id of a tool call, or none. */
export function broughtBackTo(step: string | undefined): string | null {
  return /^back_(chg_[0-9a-z]+)_/.exec(step ?? '')?.[1] ?? null;
}
