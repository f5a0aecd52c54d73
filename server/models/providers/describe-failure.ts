import { z } from 'zod';
import { InvalidInputError } from '#server/core/errors';
import { withoutCredentials } from '#server/env';
import { StatusError } from '#server/models/catalog/fetch-json';

/** Where a provider is asked, and the variables that say so. */
export interface Endpoint {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly keyVariable: string;
  readonly urlVariable: string;
}

/** Why a provider could not be asked, and what to do about it. Tells neither the key nor what the server sent. */
export function describeFailure(error: unknown, endpoint: Endpoint, timeoutMs: number): string {
  const address = withoutCredentials(endpoint.baseUrl);
  if (error instanceof StatusError) return describeStatus(error.status, endpoint);
  if (error instanceof SyntaxError) {
    return `What answers at ${address} does not answer in JSON. ${checkAddress(endpoint)}`;
  }
  if (error instanceof z.ZodError) {
    return `What answers at ${address} has no list of models. ${checkAddress(endpoint)}`;
  }
  if (nameOf(error) === 'TimeoutError') return `No answer from ${address} within ${timeoutMs / 1_000} seconds.`;
  return describeConnection(error, endpoint);
}

function describeStatus(status: number, endpoint: Endpoint): string {
  const address = withoutCredentials(endpoint.baseUrl);
  if (status === 401 || status === 403) {
    return endpoint.apiKey === undefined
      ? `The server wants a key (${status}): set ${endpoint.keyVariable}.`
      : `The server refuses the key (${status}). Check ${endpoint.keyVariable}.`;
  }
  if (status === 404 || status === 405) {
    return `There is no list of models below ${address} (${status}). ${checkAddress(endpoint)}`;
  }
  if (status === 429) return 'The server has had too many requests (429). Try again later.';
  return `The server answers with an error (${status}).`;
}

/** Most of these servers have their interface below `/v1`. */
function checkAddress({ baseUrl, urlVariable }: Endpoint): string {
  const isUsual = /\/v1\/*$/.test(withoutCredentials(baseUrl));
  return isUsual ? `Check ${urlVariable}.` : `Check ${urlVariable}: the address usually ends in /v1.`;
}

function describeConnection(error: unknown, { baseUrl, urlVariable, keyVariable }: Endpoint): string {
  const { host, username, password } = new URL(baseUrl);
  if (username !== '' || password !== '') {
    return `An address with a name and a password cannot be used. Set the key in ${keyVariable}.`;
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const code = codeOf(cause);
  if (code === 'ECONNREFUSED') return `Nothing answers at ${host}: the connection was refused. Is the server running?`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The name ${host} cannot be found. Check ${urlVariable}.`;
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `There is no way to ${host} from here.`;
  if (/CERT|TLS|SSL/.test(code)) return `The certificate of ${host} is not trusted (${code}).`;
  if (error instanceof InvalidInputError && /redirect/.test(error.message)) {
    return `${host} redirects to another address, which is not followed. Check ${urlVariable}.`;
  }
  if (error instanceof InvalidInputError && /link-local/.test(error.message)) {
    return `${error.message} Check ${urlVariable}.`;
  }
  if (error instanceof Error && /bytes/.test(error.message)) return `The answer of ${host} is too large.`;
  return `The connection to ${host} broke.`;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** Several addresses may have been tried: the first one's code stands for all. */
function codeOf(cause: unknown): string {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = typeof first === 'object' && first !== null && 'code' in first ? first.code : '';
  return typeof code === 'string' ? code : '';
}
