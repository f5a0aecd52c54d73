import { describe, expect, it } from 'vitest';
import { fetchJson } from '#server/models/wire/fetch-json';
import { type FakeModelAnswer, startFakeModelServer } from '#tests/support/fake-model-server';

const timeoutMs = 30_000;

describe('fetchJson', () => {
  it('asks with GET, or POST where there is a body, and shows the key', async () => {
    await using server = await startFakeModelServer({
      'GET /models': { json: { data: [] } },
      'POST /api/show': { json: 'shown' },
    });
    expect(await fetchJson(`${server.url}/models`, { timeoutMs, apiKey: 'sk-1' })).toEqual({ data: [] });
    expect(await fetchJson(`${server.url}/api/show`, { timeoutMs, body: { model: 'x' } })).toBe('shown');
    expect(server.requests).toEqual([
      { route: 'GET /models', authorization: 'Bearer sk-1', body: null },
      { route: 'POST /api/show', authorization: undefined, body: { model: 'x' } },
    ]);
  });

  it.each<[string, FakeModelAnswer, RegExp]>([
    ['an error status', { json: { data: [] }, status: 500 }, /answered 500 to \/models/],
    ['what is not JSON', { text: '<html>' }, /JSON/],
    ['an empty answer', { text: '' }, /JSON/],
    ['an endless answer', { endless: true }, /above 8,000,000 bytes/],
  ])('refuses %s', async (_, answer, message) => {
    await using server = await startFakeModelServer({ 'GET /models': answer });
    await expect(fetchJson(`${server.url}/models`, { timeoutMs })).rejects.toThrow(message);
  });

  it('never follows a redirect, nor takes the key along', async () => {
    await using elsewhere = await startFakeModelServer({ 'GET /models': { json: { data: [] } } });
    await using server = await startFakeModelServer({ 'GET /models': { redirectTo: `${elsewhere.url}/models` } });
    await expect(fetchJson(`${server.url}/models`, { timeoutMs, apiKey: 'sk-1' })).rejects.toThrow();
    expect(elsewhere.requests).toEqual([]);
  });

  it('ends by timeout or abort', async () => {
    await using server = await startFakeModelServer({ 'GET /models': { hang: true } });
    const url = `${server.url}/models`;
    await expect(fetchJson(url, { timeoutMs: 30 })).rejects.toThrow(/timeout/i);
    const stop = new AbortController();
    const stopped = fetchJson(url, { timeoutMs, signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
  });
});
