import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { sendRequest } from '#tests/support/rest-client';

let server: ProductionServer;

beforeAll(async () => {
  server = await startProductionServer({ seed: true });
});
afterAll(() => server.stop());

const PREVIEW = "img-src 'self' data:; frame-ancestors 'self'";
const SITE = "img-src 'self' data: https:; frame-ancestors 'self'";
const DESK = "frame-ancestors 'none'";

describe('what a page lets the browser do', () => {
  it.each([
    ['/', DESK],
    ['/c/ses_01h0000000000000000000000a', DESK],
    ['/previews', DESK],
    ['/nowhere', DESK],
    ['/preview', PREVIEW],
    ['/preview/workshops?section=sec_a', PREVIEW],
    ['/preview/nowhere', PREVIEW],
    ['/site', SITE],
    ['/site/blog', SITE],
    ['/site/nowhere', SITE],
  ])('%s: %s', async (path, policy) => {
    const { headers } = await sendRequest(server.url, { method: 'GET', path });
    expect(headers['content-security-policy']).toBe(policy);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('same-origin');
  });
});
