import { createElement } from 'react';
import { renderToReadableStream } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connection } from '#components/api/connection.ts';
import { loadCode } from '#components/ui/load-code';

const Panel = () => createElement('p', null, 'What was changed');
const missing = async (): Promise<typeof Panel> => {
  throw new Error('Failed to load chunk');
};

describe('code that is loaded when it is first shown', () => {
  let answers: () => Promise<Response>;
  beforeEach(() => vi.stubGlobal('fetch', () => answers()));
  afterEach(() => vi.unstubAllGlobals());

  it('is loaded once the server can be reached again', async () => {
    let isOnline = false;
    answers = async () => {
      if (!isOnline) throw new TypeError('Failed to fetch');
      return new Response();
    };
    const loaded = loadCode(async () => (isOnline ? Panel : missing()));
    await vi.waitUntil(() => connection.state === 'offline');
    isOnline = true;
    expect(await loaded).toBe(Panel);
  });

  it('shows nothing if the server no longer has it', async () => {
    answers = async () => new Response();
    const Loaded = await loadCode(missing);
    const stream = await renderToReadableStream(createElement(Loaded));
    expect(await new Response(stream).text()).toBe('');
  });
});
