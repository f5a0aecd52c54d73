import { createHmac } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;

/**
 * An app that shows one-time codes (RFC 6238, SHA-1, six digits), as a phone has it. `ahead` gives the code that
 * comes so many steps later; a server accepts the next one, too.
 * @param key the secret in base32, as typed
 */
export function authenticatorApp(key: string): { readonly code: (ahead?: number) => string } {
  const bits = Array.from(key, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return {
    code(ahead = 0) {
      const counter = Buffer.alloc(8);
      counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + ahead));
      const hash = createHmac('sha1', secret).update(counter).digest();
      const at = (hash.at(-1) ?? 0) & 0xf;
      return String((hash.readUInt32BE(at) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
    },
  };
}
