import crypto, { type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

type Done = (error: Error | null, key: Buffer) => void;

const { scrypt } = crypto;

/**
 * Password hashes of unit tests with few rounds: one takes 100 ms and 32 MB otherwise, which was the most of what tests
 * of accounts took. A hash made elsewhere is not one here. Integration tests make and verify real ones.
 */
const cheap = (password: string, salt: string, length: number, options: ScryptOptions, done: Done): void =>
  scrypt(password, salt, length, { ...options, N: 2 }, done);
// Files share a worker, and each of them begins here.
if (scrypt.name !== cheap.name) {
  Object.assign(crypto, { scrypt: cheap });
  syncBuiltinESMExports();
}
