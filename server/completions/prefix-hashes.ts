import { hash } from 'node:crypto';
import type { NewMessage } from '#server/core/messages';

/** Of SHA-256, enough characters that no two conversations ever meet: 128 bits. */
const LENGTH = 32;

/**
 * Names every beginning of a conversation: the hash of message `i` covers all up to it. The same messages of the same
 * owner have the same hashes in whatever call; another owner's have others.
 */
export class PrefixHashes {
  #last: string;

  constructor(ownerId: string) {
    this.#last = hash('sha256', ownerId);
  }

  /** The hash with one more message behind the others; hexadecimal. */
  add({ role, parts }: NewMessage): string {
    const canonical = JSON.stringify([role, parts.map(({ type, content }) => [type, content])]);
    this.#last = hash('sha256', this.#last + canonical);
    return this.#last.slice(0, LENGTH);
  }
}
