/** Why a server sent no response. */
interface Unreachable {
  /** `name`: the name cannot be resolved; `certificate`: the server answers, but its certificate is not trusted. */
  readonly problem: 'refused' | 'name' | 'certificate' | 'other';
  /** The problem as a text for people. */
  readonly message: string;
}

/**
 * Explains why a request got no response, from the error of `fetch`.
 * @param host with the port, as in the address of the request
 */
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

/** The error code; if several addresses were tried, that of the first. */
function codeOf(cause: unknown): string {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = typeof first === 'object' && first !== null && 'code' in first ? first.code : '';
  return typeof code === 'string' ? code : '';
}
