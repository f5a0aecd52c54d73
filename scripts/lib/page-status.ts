import type { ServerResponse } from 'node:http';
import type { PageStatuses } from '#server/http/page-status';

const globals = globalThis as typeof globalThis & {
  throughlinePageStatuses?: PageStatuses;
};
/** Statuses that pages have requested, by the nonce of their request. */
const statuses: PageStatuses = (globals.throughlinePageStatuses ??= new Map());

/** Sends the status that the page requested during rendering, instead of the one that Next gives every page. */
export function sendPageStatus(response: ServerResponse, nonce: string): void {
  const writeHead = response.writeHead.bind(response) as (status: number, ...given: unknown[]) => ServerResponse;
  response.writeHead = (status: number, ...given: unknown[]) => writeHead(statuses.get(nonce) ?? status, ...given);
  response.once('close', () => statuses.delete(nonce));
}
