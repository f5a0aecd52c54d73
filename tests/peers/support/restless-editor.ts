import { setTimeout as pause } from 'node:timers/promises';

/** The servers as a load balancer would offer them: any of them, at random. */
export type AnyServer = () => string;

export interface EditorOptions {
  readonly sessionId: string;
  /** What to send, in this order; each text is unique. */
  readonly texts: readonly string[];
  readonly anyServer: AnyServer;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** What an editor did, for the report of the test. */
export interface EditorTally {
  accepted: number;
  queued: number;
  cancels: number;
  reconnects: number;
  /** Requests that were sent again because no answer came. */
  retries: number;
}

const ACCEPT_TIMEOUT_MS = 120_000;
/** Between two messages; it spreads them over several kills. */
const MOST_THOUGHT_MS = 4_000;

/**
 * A user who does not wait: sends while the assistant works, stops it, leaves in mid-answer and returns on another
 * server, and repeats a request under the same id whenever no answer arrives.
 * @throws when a message was not accepted within two minutes
 */
export async function editRestlessly({ sessionId, texts, anyServer, random }: EditorOptions): Promise<EditorTally> {
  const tally: EditorTally = { accepted: 0, queued: 0, cancels: 0, reconnects: 0, retries: 0 };
  for (const [index, text] of texts.entries()) {
    const response = await untilAccepted(
      () => post(anyServer(), sessionId, text, `${sessionId}-${index}`, random),
      tally,
    );
    tally.accepted += 1;
    if (response.status === 202) tally.queued += 1;
    await readSome(response, Math.floor(random() * 12));
    const mood = random();
    if (mood < 0.2) {
      await cancel(anyServer(), sessionId);
      tally.cancels += 1;
    } else if (mood < 0.5) {
      await reconnect(anyServer(), sessionId, Math.floor(random() * 20));
      tally.reconnects += 1;
    }
    await pause(random() * MOST_THOUGHT_MS);
  }
  return tally;
}

function post(server: string, sessionId: string, text: string, clientRequestId: string, random: () => number) {
  const message = { role: 'user', parts: [{ type: 'text', text }] };
  const isChat = random() < 0.6;
  const path = isChat ? '/api/chat' : '/api/message/queue';
  const body = { ...(isChat ? { id: sessionId } : { sessionId }), message, clientRequestId };
  return fetch(`${server}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Repeats a request that got no answer, or one that says "not now"; anything else is an error of ours. */
async function untilAccepted(request: () => Promise<Response>, tally: EditorTally): Promise<Response> {
  const deadline = Date.now() + ACCEPT_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const response = await request().catch(() => null);
    if (response?.ok) return response;
    if (response && response.status < 500) throw new Error(`${response.status}: ${await response.text()}`);
    tally.retries += 1;
    await pause(100);
  }
  throw new Error('A message was not accepted in time.');
}

/** Reads a few chunks of a stream and leaves; the server may die during it. */
async function readSome(response: Response, chunks: number): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (let read = 0; read < chunks; read += 1) {
      if ((await reader.read()).done) return;
    }
  } catch {
    return;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function cancel(server: string, sessionId: string): Promise<void> {
  await fetch(`${server}/api/chat/${sessionId}/cancel`, { method: 'POST' })
    .then((response) => response.arrayBuffer())
    .catch(() => undefined);
}

async function reconnect(server: string, sessionId: string, chunks: number): Promise<void> {
  const response = await fetch(`${server}/api/chat/${sessionId}/stream`).catch(() => null);
  if (response?.ok) await readSome(response, chunks);
}
