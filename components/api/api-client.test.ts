import { afterEach, describe, expect, it, vi } from 'vitest';
import { createApiClient } from '#components/api/api-client.ts';
import { ApiError } from '#components/api/api-error.ts';

const fetched = vi.fn();
const message = { id: 'm', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi' }] };
const client = () => {
  vi.stubGlobal('fetch', fetched);
  return createApiClient({ baseUrl: 'http://there' });
};
afterEach(() => {
  vi.unstubAllGlobals();
  fetched.mockReset();
});

describe('the client', () => {
  const api = client();

  it.each<[string, () => Promise<unknown>, unknown?]>([
    ['POST /api/chat/ses_1/cancel', () => api.cancel('ses_1')],
    [
      'POST /api/message/queue',
      () => api.queue.add({ sessionId: 'ses_1', message, clientRequestId: 'm' }),
      { sessionId: 'ses_1', message, clientRequestId: 'm' },
    ],
    ['PATCH /api/message/queue/que_1', () => api.queue.edit('que_1', message), { message }],
    ['DELETE /api/message/queue/que_1', () => api.queue.remove('que_1')],
    ['DELETE /api/message/queue?sessionId=ses_1', () => api.queue.clear('ses_1')],
    ['POST /api/message/queue/que_1/send', () => api.queue.send('que_1')],
    ['POST /api/message/queue/send?sessionId=ses_1', () => api.queue.release('ses_1')],
    ['GET /api/sessions/ses_1/approvals', () => api.approvals('ses_1')],
    [
      'POST /api/sessions/ses_1/approvals',
      () => api.decide('ses_1', [{ approvalId: 'c', approved: false }]),
      { decisions: [{ approvalId: 'c', approved: false }] },
    ],
  ])('sends %s', async (request, send, body) => {
    client();
    fetched.mockResolvedValue(Response.json({ items: ['answer'] }));
    expect(await send()).toBeDefined();
    const [url, init] = fetched.mock.lastCall as [string, RequestInit];
    expect(`${init.method} ${url.replace('http://there', '')}`).toBe(request);
    expect(init.body === undefined ? undefined : JSON.parse(init.body as string)).toEqual(body);
  });

  it('reads an answer chunk by chunk, and closes the connection when its reader cancels', async () => {
    client();
    const cancelled = vi.fn();
    const sse = ['{"type":"start","messageId":"msg_1"}', '{"type":"text-delta","id":"t","delta":"Hé"}', '[DONE]'];
    fetched.mockResolvedValue(new Response(sse.map((data) => `data: ${data}\n\n`).join('')));
    const request = { id: 'ses_1', message, clientRequestId: 'm' };
    const { chunks } = await api.say(request);
    const types: string[] = [];
    for await (const chunk of chunks ?? []) types.push(chunk.type === 'text-delta' ? chunk.delta : chunk.type);
    expect(types).toEqual(['start', 'Hé']);
    const frame = new TextEncoder().encode(`data: ${sse[0]}\n\n`);
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => controller.enqueue(frame);
    fetched.mockResolvedValue(new Response(new ReadableStream({ pull, cancel: cancelled })));
    for await (const chunk of (await api.say(request)).chunks ?? []) if (chunk) break;
    expect(cancelled).toHaveBeenCalled();
  });

  it('reports that a message is queued', async () => {
    client();
    const receipt = { queued: true, position: 2, id: 'que_1' };
    fetched.mockResolvedValue(Response.json(receipt, { status: 202 }));
    const outcome = await api.say({ id: 'ses_1', message, clientRequestId: 'm' });
    expect(outcome).toEqual({ queued: receipt, chunks: null });
  });

  it('repeats a refused request after the user has signed in again', async () => {
    client();
    const signIn = vi.fn(async () => true);
    const refused = () => Response.json({ error: { code: 'unauthenticated', message: 'Sign in.' } }, { status: 401 });
    fetched.mockImplementationOnce(async () => refused()).mockResolvedValue(Response.json({ cancelled: true }));
    const signedOut = createApiClient({ onSignedOut: signIn });
    expect(await signedOut.cancel('ses_1')).toEqual({ cancelled: true });
    fetched.mockReset().mockImplementation(async () => refused());
    signIn.mockResolvedValue(false);
    await expect(signedOut.cancel('ses_1')).rejects.toMatchObject({ status: 401 });
    expect(fetched).toHaveBeenCalledOnce();
  });

  it("throws the server's refusal, or a network error if the server does not answer", async () => {
    client();
    fetched.mockResolvedValue(Response.json({ error: { code: 'queue_full', message: 'Full.' } }, { status: 429 }));
    await expect(api.cancel('ses_1')).rejects.toMatchObject({ code: 'queue_full', status: 429 });
    const onUnreachable = vi.fn();
    fetched.mockRejectedValue(new TypeError('fetch failed'));
    await expect(createApiClient({ onUnreachable }).cancel('ses_1')).rejects.toBeInstanceOf(ApiError);
    expect(onUnreachable).toHaveBeenCalledOnce();
  });
});
