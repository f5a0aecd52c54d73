import type { OAuthClient } from '#server/core/oauth/authorization-request';
import { OAuthError } from '#server/core/oauth/oauth-error';
import { isRegistrable } from '#server/core/oauth/redirect-uris';
import { readClientMetadata } from '#server/platform/auth/oauth/client-metadata';
import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';

/*
 * Clients whose id is the address of a document that describes them (MCP 2025-11-25, "Client ID Metadata Documents";
 * draft-ietf-oauth-client-id-metadata-document-00). They need no registration, and the host of the address is known to be
 * theirs.
 */

/** Maximum bytes of a document; the draft recommends 5 kB. */
const MAX_DOCUMENT_BYTES = 10_000;
/** Maximum time to read a document; milliseconds. */
const TIMEOUT_MS = 5_000;
/** Time for which a document is kept, so that the decision needs no second request; milliseconds. */
const KEPT_MS = 10 * 60_000;
/** Time in which an address that failed is not read again; milliseconds. */
const FAILURE_KEPT_MS = 60_000;
/** Maximum number of documents that are read at the same time. */
const MAX_READS = 5;
/** Maximum number of kept documents. */
const MAX_KEPT = 100;

interface ClientDocumentsOptions {
  readonly now: () => number;
  /** For tests. Default: only public addresses, without redirects. */
  readonly fetch?: typeof fetch;
}

/** Reads documents of clients, and keeps them for a while. */
export class ClientDocuments {
  readonly #now: () => number;
  readonly #get: typeof fetch;
  #reads = 0;
  /** Documents, and those that are being read or failed, in the order in which they were read. */
  readonly #kept = new Map<string, { readonly client: Promise<OAuthClient>; until: number }>();

  constructor({ now, fetch }: ClientDocumentsOptions) {
    this.#now = now;
    this.#get = fetch ?? createOutgoingFetch({ allowed: 'public', redirects: 0, maxBytes: MAX_DOCUMENT_BYTES });
  }

  /**
   * The client that a document describes.
   * @param address for which `isDocumentAddress` is true
   * @throws OAuthError if it cannot be read, is too large, or describes another client or one with a secret
   */
  async find(address: string): Promise<OAuthClient> {
    const now = this.#now();
    const kept = this.#kept.get(address);
    if (kept !== undefined && kept.until > now) return kept.client;
    if (this.#reads >= MAX_READS)
      throw new OAuthError('temporarily_unavailable', 'Too many programs are being connected. Try again.', 503);
    const read = { client: this.#read(address), until: now + KEPT_MS };
    this.#kept.delete(address);
    this.#kept.set(address, read);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    try {
      return await read.client;
    } catch (error) {
      read.until = now + FAILURE_KEPT_MS;
      throw error;
    }
  }

  async #read(address: string): Promise<OAuthClient> {
    this.#reads += 1;
    try {
      const { client_name: name, redirect_uris: redirectUris } = readDocument(await this.#fetchJson(address), address);
      return { id: address, name, redirectUris, createdAt: this.#now() };
    } finally {
      this.#reads -= 1;
    }
  }

  async #fetchJson(address: string): Promise<unknown> {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await this.#get(address, { headers: { accept: 'application/json' }, signal });
      if (response.status !== 200) {
        await response.body?.cancel();
        throw unreadable(`its address answers with status ${response.status}`);
      }
      return JSON.parse(await response.text());
    } catch (error) {
      if (error instanceof OAuthError) throw error;
      // One sentence for all faults of the network: it must not tell which internal names exist.
      throw unreadable(error instanceof SyntaxError ? 'it is not JSON' : 'its address cannot be read');
    }
  }
}

/** Checks a document. @throws OAuthError */
function readDocument(document: unknown, address: string): ReturnType<typeof readClientMetadata> {
  const fields = (typeof document === 'object' ? document : null) as Readonly<Record<string, unknown>> | null;
  if (fields?.['client_id'] !== address) throw unreadable('it describes another client');
  const method = fields['token_endpoint_auth_method'] ?? 'none';
  if (method !== 'none' || 'client_secret' in fields)
    throw new OAuthError('invalid_client', 'Clients are public here: token_endpoint_auth_method has to be "none".');
  // A document serves many servers: addresses that this one does not accept are left out, and refused if they are used.
  const sent: unknown = fields['redirect_uris'];
  const accepted = Array.isArray(sent) ? sent.filter((uri) => typeof uri === 'string' && isRegistrable(uri)) : sent;
  return readClientMetadata({ ...fields, redirect_uris: accepted });
}

function unreadable(why: string): OAuthError {
  return new OAuthError('invalid_client', `The document of this client could not be used: ${why}.`);
}
