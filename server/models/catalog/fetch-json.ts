/** Enough for any list of models; more is not one. */
const MAX_BYTES = 8_000_000;

export interface FetchJsonOptions {
  /** For the whole answer, milliseconds. */
  readonly timeoutMs: number;
  readonly apiKey?: string | undefined;
  /** Sent as JSON with POST; without it the request is a GET. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks a provider for JSON, with a limit on time and size. Redirects are refused: they could lead anywhere, and would
 * take the key along.
 * @throws Error when there is no answer, not in time, too large, not a success or not JSON
 */
export async function fetchJson(url: string, options: FetchJsonOptions): Promise<unknown> {
  const { timeoutMs, apiKey, body, signal } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    redirect: 'error',
    cache: 'no-store',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`The server answered ${response.status} to ${new URL(url).pathname}.`);
  }
  return JSON.parse(await boundedText(response));
}

async function boundedText(response: Response): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  // Leaving the loop by throwing cancels the body.
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`The answer is above ${MAX_BYTES.toLocaleString('en-US')} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
