import { expect, it } from 'vitest';
import { createLocalFetch, SHARED_CONTEXT } from '#server/models/wire/local-fetch';

const ask = (signal?: AbortSignal): [string, RequestInit] => [
  'http://127.0.0.1/v1/chat/completions',
  { method: 'POST', body: JSON.stringify({ model: 'm', stream: true }), ...(signal && { signal }) },
];

/** llama.cpp's answer when its context is full. */
const exceeded = () => Response.json({ error: { message: 'Context size has been exceeded.' } }, { status: 500 });

function streamed(): Response {
  const events = new ReadableStream<Uint8Array>({
    start: (controller) =>
      controller.enqueue(new TextEncoder().encode('data: {"choices":[{"delta":{"content":"Hm"}}]}\n\n')),
  });
  return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
}

it('counts a stopped response as ended, also without a reader', async () => {
  const answers = [streamed, exceeded];
  const localFetch = createLocalFetch(() => Promise.resolve(answers.shift()!()));
  const stop = new AbortController();
  await localFetch(...ask(stop.signal));
  stop.abort();
  // No other response ran, so the context was exceeded by this request alone.
  const response = await localFetch(...ask());
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain(SHARED_CONTEXT);
});
