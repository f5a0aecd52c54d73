import { type APIRequestContext, test as base } from '@playwright/test';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

interface WorkerFixtures {
  /** A server of the built app with the demo site: one for each worker, started by the first test that uses it. */
  readonly server: ProductionServer;
}

/** The server may close a connection that was unused for five seconds just when it is used again. */
function askAgainWhereReset(request: APIRequestContext): void {
  const ask = request.fetch.bind(request);
  // What `get`, `post` and the others go through.
  request.fetch = (url, options) => ask(url, { maxRetries: 2, ...options });
}

/** Playwright's `test` with a real server. There is no `baseURL`: each test names the server that it visits. */
export const test = base.extend<object, WorkerFixtures>({
  server: [
    // Playwright reads the names of the fixtures from this pattern.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      await using server = await startProductionServer({ seed: true, env: { OFFLINE_CHUNK_DELAY_MS: '0' } });
      await use(server);
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  context: async ({ context }, use) => {
    askAgainWhereReset(context.request);
    await use(context);
  },
});

export { expect } from '@playwright/test';
