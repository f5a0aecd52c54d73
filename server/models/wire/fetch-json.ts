import { reportsLoading } from '#server/models/wire/loading';
import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';

/** The size is sufficient for any list of models. A redirect would forward the API key. */
const fetchList = createOutgoingFetch({ allowed: 'configured', redirects: 0, maxBytes: 8_000_000 });

export interface FetchJsonOptions {
  /** Limit for the whole response, milliseconds. */
  readonly timeoutMs: number;
  /** Sent as a bearer token; providers with another scheme use `headers`. */
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST; without it the request is a GET. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** The server answered with a status that is not a success. */
export class StatusError extends Error {
  readonly status: number;
  /** The server is still loading its model. */
  readonly isLoading: boolean;

  constructor(status: number, path: string, isLoading = false) {
    super(`The server answered ${status} to ${path}.`);
    this.status = status;
    this.isLoading = isLoading;
  }
}

/**
 * Requests JSON from a provider, with a limit on time and size. Redirects are refused.
 * @throws StatusError for a status that is not a success; another Error if the response is missing, late, too large or
 * not JSON
 */
export async function fetchJson(url: string, options: FetchJsonOptions): Promise<unknown> {
  const { timeoutMs, apiKey, headers, body, signal } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetchList(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  if (!response.ok) {
    const { status } = response;
    const isLoading = status === 503 && reportsLoading(status, await response.text());
    if (!response.bodyUsed) await response.body?.cancel();
    throw new StatusError(status, new URL(url).pathname, isLoading);
  }
  return JSON.parse(await response.text());
}
