/** Why nothing was received from a server. */
interface Unreachable {
  /** `name`: nobody knows its name; `certificate`: it is there, and not trusted. */
  readonly problem: 'refused' | 'name' | 'certificate' | 'other';
  /** In words for a person. */
  readonly message: string;
}

/** Tells why a request to a server failed that got no answer. @param host with the port, as in its address */
export function whyUnreachable(error: unknown, host: string): Unreachable {
  const code = codeOf(error instanceof Error ? error.cause : undefined);
  if (code === 'ECONNREFUSED') {
    const message = `Nothing answers at ${host}: the connection was refused. Is the server running?`;
    return { problem: 'refused', message };
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { problem: 'name', message: `The name ${host} cannot be found.` };
  }
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return { problem: 'other', message: `There is no way to ${host} from here.` };
  }
  if (/CERT|TLS|SSL/.test(code)) {
    return { problem: 'certificate', message: `The certificate of ${host} is not trusted (${code}).` };
  }
  return { problem: 'other', message: `The connection to ${host} broke.` };
}

/** The error code; of several tried addresses, the first one's. */
function codeOf(cause: unknown): string {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = typeof first === 'object' && first !== null && 'code' in first ? first.code : '';
  return typeof code === 'string' ? code : '';
}
