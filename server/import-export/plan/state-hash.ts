import { createHash } from 'node:crypto';

/** SHA-256 (hexadecimal) of a JSON value: an import skips an item whose source has the same hash as in the last import. */
export function stateHash(state: unknown): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('hex');
}
