/**
 * Address of the client that sent a request. Our server sets this header on every request, whatever the client sent in it
 * (scripts/lib/serve); routes and pages know of no other way to a socket.
 */
export const CLIENT_HEADER = 'x-throughline-client';

/** The path and query that were asked for, set like that one: a layout of Next is not told where it is. */
export const ADDRESS_HEADER = 'x-throughline-address';

export interface Client {
  /** Empty where nobody knows. */
  readonly address: string;
}

export function clientOf(headers: Pick<Headers, 'get'>): Client {
  return { address: headers.get(CLIENT_HEADER) ?? '' };
}
