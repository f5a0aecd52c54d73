import { createOutgoingFetch } from '#server/outgoing/outgoing-fetch';

/** The size suffices for any list of models. Redirects would take the key along. */
const fetchList = createOutgoingFetch({ allowed: 'configured', redirects: 0, maxBytes: 8_000_000 });

export interface FetchJsonOptions {
  /** Limit for the whole answer, milliseconds. */
  readonly timeoutMs: number;
  /** Sent as a bearer token; a provider that wants it otherwise is sent `headers`. */
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST; without it the request is a GET. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** The server answered with a status that is not a success. */
export class StatusError extends Error {
  readonly status: number;

  constructor(status: number, path: string) {
    super(`The server answered ${status} to ${path}.`);
    this.status = status;
  }
}

/**
 * Asks a provider for JSON, with a limit on time and size. Redirects are refused.
 * @throws StatusError for a status that is not a success; another Error if the answer is missing, late, too large or not JSON
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
    await response.body?.cancel();
    throw new StatusError(response.status, new URL(url).pathname);
  }
  return JSON.parse(await response.text());
}
