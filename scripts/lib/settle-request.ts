import type { IncomingMessage } from 'node:http';
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js';

/** What the browser's part of Next says it has of a page already. */
const ROUTER_STATE = 'next-router-state-tree';

/** The page that Next keeps for faults of its own; it answers 500 to whoever asks for it. */
const FAULT_PAGE = '/_global-error';

/**
 * Takes out of a request what Next itself would break on: a router state that is none is left out, and the page is
 * given whole.
 * @param path of the address, decoded
 */
export function settleRequest(request: IncomingMessage, path: string): void {
  if (path === FAULT_PAGE) request.url = '/_not-found';
  try {
    parseAndValidateFlightRouterState(request.headers[ROUTER_STATE]);
  } catch {
    delete request.headers[ROUTER_STATE];
  }
}
