import { headers } from 'next/headers';

/**
 * Statuses that pages ask for, by the nonce of their answer. Shared with the server that sends them, which has its own
 * copies of modules.
 */
export type PageStatuses = Map<string, number>;

const globals = globalThis as typeof globalThis & { throughlinePageStatuses?: PageStatuses };

/**
 * Answers the page that is being rendered with this status. `notFound()` of Next leaves the text of such a page to
 * scripts in the browser; the site has to say it without them.
 */
export async function answerWithStatus(status: number): Promise<void> {
  const nonce = (await headers()).get('x-nonce');
  if (nonce !== null) globals.throughlinePageStatuses?.set(nonce, status);
}
