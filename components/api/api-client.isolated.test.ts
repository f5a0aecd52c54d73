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
