import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';

/** Why a server sent no response. */
interface Unreachable {
  /** `name`: the name cannot be resolved; `certificate`: the server answers, but its certificate is not trusted. */
  readonly problem: 'refused' | 'name' | 'certificate' | 'other';
  /** The problem as a sentence for people. */
  readonly text: ServerText;
}

/**
 * Explains why a request got no response, from the error of `fetch`.
 * @param host with the port, as in the address of the request
 */
export function whyUnreachable(error: unknown, host: string): Unreachable {
  const code = codeOf(error instanceof Error ? error.cause : undefined);
  if (code === 'ECONNREFUSED') return { problem: 'refused', text: serverText('unreachable-refused', { host }) };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { problem: 'name', text: serverText('unreachable-name', { host }) };
  }
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return { problem: 'other', text: serverText('unreachable-no-route', { host }) };
  }
  if (/CERT|TLS|SSL/.test(code)) {
    return { problem: 'certificate', text: serverText('unreachable-certificate', { host, reason: code }) };
  }
  return { problem: 'other', text: serverText('unreachable-broken', { host }) };
}

/** The error code; if several addresses were tried, that of the first. */
function codeOf(cause: unknown): string {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = typeof first === 'object' && first !== null && 'code' in first ? first.code : '';
  return typeof code === 'string' ? code : '';
}
