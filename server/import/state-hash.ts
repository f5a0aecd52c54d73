import { createHash } from 'node:crypto';

/** The same for the same state of what is taken, so that the next import leaves it alone; hexadecimal. */
export function stateHash(state: unknown): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('hex');
}
