/**
 * Which client sent a request. Our server sets this header on every request, whatever the client sent in it
 * (scripts/lib/serve); routes and pages know of no other way to a socket.
 */
export const CLIENT_HEADER = 'x-throughline-client';

/** The path and query that were asked for, set like that one: a layout of Next is not told where it is. */
export const ADDRESS_HEADER = 'x-throughline-address';

export interface Client {
  /** Address; empty where nobody knows. */
  readonly address: string;
  /** Somebody passed the request on for somebody else, or says so. */
  readonly isForwarded: boolean;
}

export function clientOf(headers: Pick<Headers, 'get'>): Client {
  const [way, address = ''] = headers.get(CLIENT_HEADER)?.split(' ') ?? [];
  return { address, isForwarded: way !== 'direct' };
}

/** The value of the header. */
export function clientHeader({ address, isForwarded }: Client): string {
  return `${isForwarded ? 'forwarded' : 'direct'} ${address}`;
}
