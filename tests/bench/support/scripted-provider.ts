import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type ChatRequestBody, streamEvents } from '#tests/support/openrouter-wire';

/*
 * A provider in a separate process, so that it takes no time from the measurement; it keeps nothing. "stream 500
 * every 2" requests 500 chunks, 2 ms apart; "list, stream 500 every 2" a call of list_content before. Tells its
 * parent its address, and when a client has hung up (the machine's monotonic clock, nanoseconds).
 */

async function answer(body: ChatRequestBody, response: ServerResponse): Promise<void> {
  const asked = JSON.stringify(body.messages.findLast(({ role }) => role === 'user')?.content);
  const [, count = '10', every = '0'] = /stream (\d+) every (\d+)/.exec(asked) ?? [];
  const chunks = Array.from({ length: Number(count) }, (_, index) => `word${index} `);
  const usage = { promptTokens: 1_000, completionTokens: chunks.length };
  const calls = asked.includes('list, stream') && body.messages.at(-1)?.role !== 'tool';
  const toolCalls = [{ id: `call_${body.messages.length}`, name: 'list_content', input: { type: 'page' } }];
  const said = calls ? { toolCalls, usage } : { chunks, usage };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const { data } of streamEvents(body, said)) {
    if (response.destroyed) return;
    if (Number(every) > 0) await pause(Number(every));
    if (!response.write(`data: ${JSON.stringify(data)}\n\n`)) await drained(response);
  }
  response.end('data: [DONE]\n\n');
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}

// No process is left when the bench is killed.
process.once('disconnect', () => process.exit());

const server = createServer((request, response) => {
  response.on('close', () => {
    if (!response.writableFinished) process.send?.({ closedAt: process.hrtime.bigint().toString() });
  });
  if (request.method !== 'POST') response.writeHead(404).end('{}');
  else void json(request).then((body) => answer(body as ChatRequestBody, response));
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1` });
});
