/**
 * Address of the client that sent a request. Our server sets this header on every request and overwrites the client's
 * value (scripts/lib/serve); routes and pages have no other access to the socket.
 */
export const CLIENT_HEADER = 'x-throughline-client';

/** The requested path and query, set in the same way: Next does not pass the address to a layout. */
export const ADDRESS_HEADER = 'x-throughline-address';

/** The computer or proxy at the other end of the connection. */
export interface Client {
  /** IP address; empty if unknown. */
  readonly address: string;
}

/** Reads the client from the header that our server has set. */
export function clientOf(headers: Pick<Headers, 'get'>): Client {
  return { address: headers.get(CLIENT_HEADER) ?? '' };
}
