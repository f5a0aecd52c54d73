import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { pipeUIMessageStreamToResponse, streamText, toUIMessageStream } from 'ai';

/* The peer: streamText piped into a response, as the AI SDK's examples have it. Stores nothing, checks nothing. */

const openrouter = createOpenRouter({ apiKey: 'bench', baseURL: process.env['OPENROUTER_BASE_URL'] ?? '' });

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { message } = (await json(request)) as { message: { parts: { text: string }[] } };
  const prompt = message.parts.map(({ text }) => text).join('');
  const { stream } = streamText({ model: openrouter(process.env['DEFAULT_MODEL'] ?? ''), prompt, maxRetries: 0 });
  await pipeUIMessageStreamToResponse({ response, stream: toUIMessageStream({ stream }) });
}

// No process is left when the bench is killed.
process.once('disconnect', () => process.exit());

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
