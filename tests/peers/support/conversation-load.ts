import { setTimeout as pause } from 'node:timers/promises';

/* What the tests of several instances ask of them. */

/** How long an idle state is waited for after the last message, milliseconds. */
export const SETTLE_TIMEOUT_MS = 180_000;

/** Writes, reads and questions; every text holds its mark once. */
export function requestText(mark: string, index: number): string {
  if (index % 3 === 0) return `Create a page called "${mark}"`;
  return index % 3 === 1 ? `List the pages, please (${mark})` : `Search for "${mark}"`;
}

/** Creates a conversation. @returns its id */
export async function createSession(server: string): Promise<string> {
  const response = await fetch(`${server}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await response.json()) as { id: string }).id;
}

/** Sends what a stop has held back, and waits until nothing runs and nothing waits. */
export async function untilIdle(sessionId: string, anyServer: () => string): Promise<void> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const stream = await fetch(`${anyServer()}/api/chat/${sessionId}/stream`);
    if (stream.status === 200) {
      await stream.text().catch(() => undefined);
      continue;
    }
    const queue = await fetch(`${anyServer()}/api/message/queue?sessionId=${sessionId}`);
    const { items, held } = (await queue.json()) as { items: unknown[]; held: boolean };
    if (items.length === 0) return;
    if (held) await fetch(`${anyServer()}/api/message/queue/send?sessionId=${sessionId}`, { method: 'POST' });
    else await pause(100);
  }
  throw new Error(`Session ${sessionId} did not become idle.`);
}
