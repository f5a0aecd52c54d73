import { createHash, hash } from 'node:crypto';
import type { NewMessage } from '#server/core/conversation/messages';

/** Hashes with which conversations with the same beginning are found. */
export interface KnownPrefixes {
  readonly ownerId: string;
  /** For each message, the hash of everything up to and including it. */
  readonly hashes: readonly string[];
  /** Hash of everything before the newest request. */
  readonly beforeRequest: string;
}

/** Characters kept of a SHA-256 hash: 128 bits rule out collisions. */
const HASH_LENGTH = 32;

/** Characters from which a message is hashed without joining it to the hash before it, which would copy it. */
const LONG_MESSAGE_CHARS = 100_000;

/**
 * Hashes of the beginnings of a conversation: the hash of message `i` covers everything up to it. Hashes of different
 * owners differ.
 */
export class PrefixHashes {
  #last: string;

  constructor(ownerId: string) {
    this.#last = hash('sha256', ownerId);
  }

  /** Adds a message; returns the hash of everything up to and including it, hexadecimal. */
  add({ role, parts }: NewMessage): string {
    // Reasoning does not count: clients send it back while a model works with tools, and omit it later.
    const hashed = parts.filter(({ type }) => type !== 'reasoning');
    const canonical = JSON.stringify([role, hashed.map(({ type, content }) => [type, content])]);
    this.#last =
      canonical.length < LONG_MESSAGE_CHARS
        ? hash('sha256', this.#last + canonical)
        : createHash('sha256').update(this.#last).update(canonical).digest('hex');
    return this.#last.slice(0, HASH_LENGTH);
  }
}
