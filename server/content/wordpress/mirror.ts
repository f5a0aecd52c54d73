import type { ContentStore, ContentTransaction } from '#server/content/embedded/content-store';
import type { JsonValue } from '#server/core/json';
import type { RemoteKind } from '#server/core/remote-site';

/** Which thing of WordPress's is which of ours, and how it was when it was last seen there. */
export interface RemoteLink {
  readonly kind: RemoteKind;
  /** Id of the entry or asset, or key of the site document. */
  readonly localId: string;
  readonly remoteId: number;
  readonly known: JsonValue;
  /** Epoch milliseconds. */
  readonly seenAt: number;
}

export interface RemoteAddress extends Pick<RemoteLink, 'kind' | 'localId' | 'remoteId'> {
  /** Of a page for visitors, of a picture for its bytes. */
  readonly address: string | null;
}

export interface LinkReader {
  link(localId: string): Promise<RemoteLink | null>;
  linkByRemote(kind: RemoteKind, remoteId: number): Promise<RemoteLink | null>;
  /** The asset whose bytes go by this name. */
  linkByHash(hash: string): Promise<RemoteLink | null>;
  links(kind?: RemoteKind): Promise<RemoteLink[]>;
  /** Where everything is there. */
  addresses(): Promise<RemoteAddress[]>;
  /** Everything of a kind, with the time (epoch milliseconds) of the change that was seen last; 0: none yet. */
  marks(kind: RemoteKind): Promise<{ localId: string; remoteId: number; modified: number }[]>;
}

/** A transaction of the mirror: links are written together with what they link. */
export interface MirrorTransaction extends ContentTransaction, LinkReader {
  /** Inserts the link or replaces what is stored under its local id. */
  saveLink(link: RemoteLink): Promise<void>;
  removeLink(localId: string): Promise<void>;
}

/** Where the mirror of a site is kept. */
export interface Mirror extends Omit<ContentStore, 'write'>, LinkReader {
  /** See ContentStore.write. */
  write<T>(work: (tx: MirrorTransaction) => Promise<T>): Promise<T>;
}
