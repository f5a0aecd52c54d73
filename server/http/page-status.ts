import { headers } from 'next/headers';

/**
 * HTTP statuses that pages have set, by the nonce of their response. Stored in the global object, because the server that
 * sends the responses (scripts/lib/serve) has its own copies of modules.
 */
export type PageStatuses = Map<string, number>;

const globals = globalThis as typeof globalThis & { throughlinePageStatuses?: PageStatuses };

/**
 * Sets the status of the page that is being rendered. Next's `notFound()` leaves the text of such a page to scripts in
 * the browser; the site must show it without scripts.
 */
export async function setPageStatus(status: number): Promise<void> {
  const nonce = (await headers()).get('x-nonce');
  if (nonce !== null) globals.throughlinePageStatuses?.set(nonce, status);
}
