import type { BrowserContext, ConsoleMessage } from '@playwright/test';
import { Desk } from '#tests/e2e/support/desk';
import { type ScriptedServer, startScriptedServer } from '#tests/e2e/support/scripted-model';
import { expect, test as base } from '#tests/support/browser-test';

/** Chromium reports every script of a page whose frame forbids scripts; the preview forbids them on purpose. */
const SANDBOXED_PREVIEW = /^Blocked script execution in '[^']*\/(preview|site)/;

function isProblem(message: ConsoleMessage): boolean {
  return message.type() === 'error' && !SANDBOXED_PREVIEW.test(message.text());
}

interface DeskFixtures {
  /** Starts a server with a scripted model; it ends after the test, when nobody looks at the page's console any more. */
  readonly startScripted: typeof startScriptedServer;
  /** Opens another browser, with a console of its own. It is closed after the test: else it would look for its server for ever. */
  readonly openOther: () => Promise<Desk>;
  /** The assistant in the browser. The test fails when the page reported an error that nobody expected. */
  readonly desk: Desk;
}

/** Playwright's `test` with a desk whose console stays clean. */
export const test = base.extend<DeskFixtures>({
  // Playwright reads the names of the fixtures from this pattern.
  // oxlint-disable-next-line no-empty-pattern
  startScripted: async ({}, use) => {
    const started: ScriptedServer[] = [];
    await use(async (...options) => {
      const scripted = await startScriptedServer(...options);
      started.push(scripted);
      return scripted;
    });
    for (const scripted of started) await scripted[Symbol.asyncDispose]();
  },
  openOther: async ({ browser, startScripted: _ }, use) => {
    const opened: BrowserContext[] = [];
    await use(async () => {
      const context = await browser.newContext();
      opened.push(context);
      return new Desk(await context.newPage());
    });
    for (const context of opened) await context.close();
  },
  // Needs the server so that it is there until the page's problems have been read.
  desk: async ({ page, startScripted: _ }, use) => {
    const problems: string[] = [];
    page.on('console', (message) => {
      if (isProblem(message)) problems.push(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    await use(new Desk(page));
    expect(problems).toEqual([]);
  },
});

export { expect } from '#tests/support/browser-test';
