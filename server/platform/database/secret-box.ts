import { serverText } from '#server/core/messages/server-text';
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { InvalidInputError } from '#server/core/errors';
import { isSealed, SEALED_PREFIX } from '#server/core/secrets';
import { databaseFileOf } from '#server/platform/database/file-connection';

/**
 * Encrypts secrets, so that they are unreadable in the database and in copies of it. A sealed (encrypted) value names its
 * key and can be opened for one place only (a text made of table, row and name), so that values cannot be swapped.
 */
export interface SecretBox {
  /** Encrypts a plain value; returns a sealed one unchanged. @throws InvalidInputError when there is no key */
  seal(this: void, value: string, place: string): string;
  /**
   * Decrypts a sealed value. Returns it unchanged if it cannot be opened (`isSealed` is then still true), and returns a
   * plain value, as earlier versions stored it, unchanged.
   */
  open(this: void, stored: string, place: string): string;
  /** False for a plain value and for one sealed with an older key: both should be sealed again. */
  isCurrent(this: void, stored: string): boolean;
}

interface SecretBoxOptions {
  /** The value of `AUTH_SECRET`. */
  readonly secret: string | undefined;
  /** Former secrets. They open values but do not seal any. Default: none. */
  readonly former?: readonly string[] | undefined;
  /** Without `AUTH_SECRET`, the key is in a file next to the embedded database. */
  readonly databaseUrl: string;
}

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

const CIPHER = 'aes-256-gcm';
/** As NIST SP 800-38D recommends for GCM. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Creates the encryption for one database. Without `AUTH_SECRET`, reads the key from a file next to the embedded database, and creates that file if it does not
 * exist.
 */
export function createSecretBox({ secret, former = [], databaseUrl }: SecretBoxOptions): SecretBox {
  const keyFile = databaseUrl.startsWith('file:') ? `${databaseFileOf(databaseUrl)}.key` : null;
  const fromSecret = secret === undefined ? null : deriveKey(Buffer.from(secret));
  const formerKeys = former.map((each) => deriveKey(Buffer.from(each)));
  const hasFile = keyFile !== null && existsSync(keyFile);
  const fromFile = hasFile ? readKey(keyFile) : keyFile !== null && !fromSecret ? createKey(keyFile) : null;

  function sealingKey(): Key {
    const key = fromSecret ?? fromFile;
    if (key) return key;
    throw new InvalidInputError(serverText('auth-secret-missing'));
  }

  return {
    seal(value, place) {
      if (isSealed(value)) return value;
      const { id, bytes } = sealingKey();
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, bytes, iv).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([iv, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${SEALED_PREFIX}${id}:${sealed.toString('base64url')}`;
    },
    open(stored, place) {
      if (!isSealed(stored)) return stored;
      const [id, sealed = ''] = stored.slice(SEALED_PREFIX.length).split(':');
      const key = [fromSecret, fromFile, ...formerKeys].find((each) => each?.id === id);
      return key ? (openWith(key.bytes, Buffer.from(sealed, 'base64url'), place) ?? stored) : stored;
    },
    isCurrent(stored) {
      if (!isSealed(stored)) return false;
      const id = stored.slice(SEALED_PREFIX.length).split(':')[0];
      return (
        fromSecret === null || (id !== fromFile?.id && !formerKeys.some((key) => key.id === id && id !== fromSecret.id))
      );
    },
  };
}

/** Null if the value was changed, or sealed for another place. */
function openWith(key: Buffer, sealed: Buffer, place: string): string | null {
  if (sealed.length < IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(place))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}

/** The label and the length of the id are part of the stored format: with others, stored secrets cannot be opened. */
function deriveKey(material: Buffer): Key {
  const bytes = Buffer.from(hkdfSync('sha256', material, '', 'throughline stored secrets', KEY_BYTES));
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
}

function readKey(file: string): Key {
  return deriveKey(Buffer.from(readFileSync(file, 'utf8').trim(), 'base64'));
}

/**
 * Creates the key file. Of several processes only one succeeds: a link appears with its whole content or not at all.
 */
function createKey(file: string): Key {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    unlinkSync(draft);
  }
  return readKey(file);
}
