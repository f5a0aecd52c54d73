/** Begins every secret as it is stored. */
export const SEALED_PREFIX = 'enc:1:';

/** Whether a value is a secret that could not be opened: with another key than the one it was stored with. */
export function isSealed(value: string): boolean {
  return value.startsWith(SEALED_PREFIX);
}
