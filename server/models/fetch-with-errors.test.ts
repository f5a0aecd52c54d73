import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchWithErrors } from '#server/models/fetch-with-errors';

const servers: ReturnType<typeof createServer>[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers like this; `end` false leaves the answer open. */
async function serve(body: string, { status = 200, type = 'application/json', end = true } = {}): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': type, 'retry-after': '7' });
    if (end) response.end(body);
    else response.write(body);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answerTo(error: unknown) {
  const body = JSON.stringify({ error });
  const response = await fetchWithErrors(await serve(body));
  expect(await response.text()).toBe(body);
  return { status: response.status, wait: response.headers.get('retry-after') };
}

describe('fetchWithErrors', () => {
  it('gives an answer that tells of an error the status that it names, else 502', async () => {
    expect(await answerTo({ code: 429, message: 'Slow down' })).toEqual({ status: 429, wait: '7' });
    expect(await answerTo({ code: '413', message: 'Too long' })).toMatchObject({ status: 413 });
    expect(await answerTo({ code: 'context_length_exceeded', status: 400 })).toMatchObject({ status: 400 });
    expect(await answerTo({ code: 200, message: 'Hm' })).toMatchObject({ status: 502 });
    expect(await answerTo('model not loaded')).toMatchObject({ status: 502 });
  });

  it('leaves every other answer as it is', async () => {
    for (const body of ['{"choices": [], "error": null}', '[]', 'null', '"error"', '{not json']) {
      const response = await fetchWithErrors(await serve(body));
      expect([response.status, await response.text()]).toEqual([200, body]);
    }
    const refused = await fetchWithErrors(await serve('{"error": {"code": 400}}', { status: 503 }));
    expect([refused.status, await refused.text()]).toEqual([503, '{"error": {"code": 400}}']);
  });

  it('hands on an event stream while it is still open', async () => {
    const response = await fetchWithErrors(
      await serve('data: {"error": 1}\n\n', { type: 'text/event-stream', end: false }),
    );
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect([response.status, new TextDecoder().decode(value)]).toEqual([200, 'data: {"error": 1}\n\n']);
  });
});
