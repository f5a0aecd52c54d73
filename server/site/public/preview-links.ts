import { createHash, randomBytes } from 'node:crypto';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import type { PreviewLink, PreviewLinkDays } from '#server/core/site/preview/preview-links';
import type { PreviewLinkStore } from '#server/site/store/preview-link-repository';

/** Random bytes of a secret: 128 bits, which nobody guesses. */
const SECRET_BYTES = 16;
/** A secret as it is in an address: base64url without padding. */
const SECRET = /^[\w-]{22}$/;
/** Largest number of links of one entry that work at the same time. A choice, not measured. */
const MAX_ACTIVE = 20;
const DAY_MS = 86_400_000;

/** Who creates a link. */
interface Creator {
  readonly userId: string;
  /** The API key that was used; null: none. */
  readonly keyId: string | null;
}

/** A new link with its secret, which is not stored and cannot be read again. */
interface NewPreviewLink {
  readonly link: PreviewLink;
  /** The last part of its address. */
  readonly secret: string;
}

/** Links that show the draft of one entry to everybody who has the address. */
export class PreviewLinks {
  readonly #store: PreviewLinkStore;
  readonly #now: () => number;

  /** @param now epoch milliseconds */
  constructor(store: PreviewLinkStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Creates a link.
   * @param creator the link ends when the account of this person is removed, and when this API key ends
   * @throws ConflictError if the entry has too many, NotFoundError if it has been deleted, ForbiddenError if the creator has
   * lost the right to change it
   */
  async create(entryId: string, days: PreviewLinkDays, creator: Creator): Promise<NewPreviewLink> {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const createdAt = this.#now();
    const expiresAt = createdAt + days * DAY_MS;
    const { userId: createdBy, keyId } = creator;
    const row = { entryId, hash: hashOf(secret), createdBy, keyId, createdAt, expiresAt };
    const link = await this.#store.add(row, MAX_ACTIVE);
    if (link === null) throw new ConflictError(serverText('preview-links-full', { max: MAX_ACTIVE }));
    return { link, secret };
  }

  /** The links of an entry that work at present, newest first. */
  list(entryId: string): Promise<PreviewLink[]> {
    return this.#store.list(entryId);
  }

  /** Ends a link. @throws NotFoundError if the entry has no such link, or if it has ended already */
  async revoke(entryId: string, id: string): Promise<PreviewLink> {
    const link = await this.#store.revoke(entryId, id);
    if (link === null) throw new NotFoundError('preview link', id);
    return link;
  }

  /** The link of a secret; null for one that is unknown, expired or revoked. */
  async find(secret: string): Promise<{ readonly id: string; readonly entryId: string } | null> {
    return SECRET.test(secret) ? this.#store.find(hashOf(secret)) : null;
  }

  /** Id of the entry whose draft a secret opens; null for a secret that is unknown, expired or revoked. */
  async entryOf(secret: string): Promise<string | null> {
    return (await this.find(secret))?.entryId ?? null;
  }
}

/** SHA-256 of a secret, hexadecimal. A secret of 128 random bits needs no salt and no slow hash. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
