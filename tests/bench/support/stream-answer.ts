import { type IncomingMessage, request } from 'node:http';

/** Of one streamed answer, in milliseconds from the request on. */
export interface Timing {
  /** Until the first word. */
  readonly first: number;
  readonly total: number;
}

export const userMessage = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });

/** Of what the scripted provider says, asked for "stream 500 every 2". */
export const lastWordOf = (asked: string) => `word${Number(/stream (\d+)/.exec(asked)?.[1]) - 1} `;

type Headers = Readonly<Record<string, string>>;

function send(url: string, body: unknown, more: Headers): Promise<IncomingMessage> {
  const sent = Promise.withResolvers<IncomingMessage>();
  const headers = { 'content-type': 'application/json', ...more };
  const outgoing = request(url, { method: 'POST', agent: false, headers });
  outgoing.on('response', sent.resolve).on('error', sent.reject).end(JSON.stringify(body));
  return sent.promise;
}

/**
 * Reads a streamed answer to its end.
 * @param lastWord without which the answer is not complete; null for one that is cancelled
 * @param headers of the caller, where people sign in
 * @throws if there are no words, or the answer is not complete
 */
export async function streamAnswer(
  url: string,
  body: unknown,
  lastWord: string | null,
  onFirstWord?: () => void,
  headers: Headers = {},
): Promise<Timing> {
  const startedAt = performance.now();
  const response = await send(url, body, headers);
  let first: number | undefined;
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk as string;
    if (first !== undefined || !text.includes('"text-delta"')) continue;
    first = performance.now() - startedAt;
    onFirstWord?.();
  }
  if (first === undefined) throw new Error(`No words from ${url}: ${text.slice(0, 500)}`);
  const total = performance.now() - startedAt;
  const isComplete = lastWord === null || (text.includes(lastWord) && text.includes('"type":"finish"'));
  if (!isComplete) throw new Error(`The answer from ${url} ended early: ${text.slice(-500)}`);
  return { first, total };
}

/** A new session of the server at `url`; returns its id. */
export async function newSession(url: string, headers: Headers = {}): Promise<string> {
  const response = await fetch(`${url}/api/sessions`, { method: 'POST', headers });
  if (!response.ok) throw new Error(`No session from ${url}: ${response.status}`);
  return ((await response.json()) as { id: string }).id;
}
