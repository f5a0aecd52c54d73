/** Every key of ours begins so: people and scanners of sources recognize it. */
export const KEY_PREFIX = 'tl_';

/** What a request carries as `Authorization: Bearer …`; null where there is none. */
export function bearerOf(headers: Headers): string | null {
  return /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;
}

/** Whether a word is meant to be a key of ours. */
export function isApiKey(word: string): boolean {
  return word.startsWith(KEY_PREFIX);
}
