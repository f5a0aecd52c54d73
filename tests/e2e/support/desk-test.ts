import type { BrowserContext, ConsoleMessage } from '@playwright/test';
import { Workspace } from '#tests/e2e/support/desk';
import { type ScriptedServer, startScriptedServer } from '#tests/e2e/support/scripted-model';
import { ScriptedPool } from '#tests/e2e/support/scripted-pool';
import { expect, test as base } from '#tests/support/browser-test';

/** Chromium reports every script of a page whose frame forbids scripts; the preview forbids them on purpose. */
const SANDBOXED_PREVIEW = /^Blocked script execution in '[^']*\/(preview|site)/;

function isProblem(message: ConsoleMessage): boolean {
  return message.type() === 'error' && !SANDBOXED_PREVIEW.test(message.text());
}

interface DeskFixtures {
  /**
   * Gives the test a server with a scripted model: the demo site, no conversations, and no other test on it. It stays
   * until the test is over and the page's console is no longer watched.
   */
  readonly startScripted: ScriptedPool['lease'];
  /** The same with a server that is started and ended: for other environments and lasting changes. */
  readonly startOwnScripted: typeof startScriptedServer;
  /**
   * Opens another browser with a separate console. It is closed after the test: else it would poll its server
   * forever.
   */
  readonly openOther: () => Promise<Workspace>;
  /** The assistant in the browser. The test fails when the page reported an unexpected error. */
  readonly desk: Workspace;
}

/** Gives what a test starts, and disposes of it after the test. */
async function useServers<Options extends unknown[]>(
  start: (...options: Options) => Promise<ScriptedServer>,
  use: (start: (...options: Options) => Promise<ScriptedServer>) => Promise<void>,
) {
  const started: ScriptedServer[] = [];
  await use(async (...options) => {
    const scripted = await start(...options);
    started.push(scripted);
    return scripted;
  });
  for (const scripted of started) await scripted[Symbol.asyncDispose]();
}

/** Playwright's `test` with a desk whose console stays clean. */
export const test = base.extend<DeskFixtures, { readonly pool: ScriptedPool }>({
  pool: [
    // Playwright reads the names of the fixtures from this pattern.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      await using pool = new ScriptedPool();
      await use(pool);
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  startScripted: ({ pool }, use) => useServers((respond) => pool.lease(respond), use),
  // oxlint-disable-next-line no-empty-pattern
  startOwnScripted: ({}, use) => useServers(startScriptedServer, use),
  openOther: async ({ browser, startScripted: _, startOwnScripted: _own }, use) => {
    const opened: BrowserContext[] = [];
    await use(async () => {
      const context = await browser.newContext();
      opened.push(context);
      return new Workspace(await context.newPage());
    });
    for (const context of opened) await context.close();
  },
  // Depends on the server so that it exists until the page's problems have been read.
  desk: async ({ page, startScripted: _, startOwnScripted: _own }, use) => {
    const problems: string[] = [];
    page.on('console', (message) => {
      if (isProblem(message)) problems.push(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    // The console does not show a refused `new Function` whose error is caught; visitors' browsers report it.
    await page.addInitScript(() =>
      addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        console.error(`Against the content security policy: ${effectiveDirective} ${blockedURI}`),
      ),
    );
    await use(new Workspace(page));
    expect(problems).toEqual([]);
  },
});

export { expect } from '#tests/support/browser-test';
