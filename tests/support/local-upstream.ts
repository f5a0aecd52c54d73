import { text as readAll } from 'node:stream/consumers';
import { startLoopback } from '#tests/support/loopback-server';

/** Fields of one streamed choice, as local servers send them. */
export interface LocalDelta {
  readonly delta: Readonly<Record<string, unknown>>;
  readonly finish_reason?: string;
}

export interface LocalUpstream extends AsyncDisposable {
  /** For OPENAI_COMPATIBLE_BASE_URL. */
  readonly baseUrl: string;
  /** Bodies of all chat requests so far. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
}

/**
 * A local model server like llama.cpp and LM Studio: its stream has no usage, the finish comes in a separate, late
 * chunk, and ids and models are its own.
 */
export async function startLocalUpstream(
  models: readonly string[],
  answer: (body: Readonly<Record<string, unknown>>) => readonly LocalDelta[],
): Promise<LocalUpstream> {
  const bodies: Record<string, unknown>[] = [];
  const server = await startLoopback((incoming, outgoing) => {
    void (async () => {
      const sent = await readAll(incoming);
      if (incoming.url === '/v1/models') {
        const data = models.map((id) => ({ id, object: 'model', owned_by: 'llamacpp', meta: { n_ctx_train: 32_768 } }));
        outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }));
        return;
      }
      if (incoming.url !== '/v1/chat/completions') {
        outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
        return;
      }
      const body = JSON.parse(sent) as Record<string, unknown>;
      bodies.push(body);
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const { delta, finish_reason = null } of answer(body)) {
        const choices = [{ index: 0, delta, finish_reason }];
        const chunk = { id: 'cmpl-1', object: 'chat.completion.chunk', created: 1, model: 'loaded.gguf', choices };
        outgoing.write(`data: ${JSON.stringify(chunk)}\n\n`);
      }
      outgoing.end('data: [DONE]\n\n');
    })();
  });
  return { baseUrl: `${server.url}/v1`, bodies, [Symbol.asyncDispose]: server.close };
}
