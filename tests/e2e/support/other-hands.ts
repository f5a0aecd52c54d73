import type { BrowserContext, Page } from '@playwright/test';
import type { ApiClient } from '#components/api/api-client.ts';
import { expect } from '#tests/support/browser-test';

/** A change by another user through REST: other words in the page's quote. */
export async function changeQuote(page: Page, ref: string, quote: string): Promise<void> {
  const address = new URL(`/api/content/pages/${ref}`, page.url()).href;
  const entry = (await (await page.request.get(address)).json()) as {
    draft: { sections: { id: string; type: string }[] };
  };
  const sectionId = entry.draft.sections.find(({ type }) => type === 'quote')?.id;
  const answer = await page.request.patch(address, {
    data: { operations: [{ op: 'set-section', sectionId, fields: { quote } }] },
  });
  expect(answer.status()).toBe(200);
}

/** A message as the chat sends it. */
export function userMessage(text: string) {
  return { id: crypto.randomUUID(), role: 'user' as const, parts: [{ type: 'text' as const, text }] };
}

/** Says something in a session without a browser, and waits for the end of the turn. */
export async function sayByApi(api: ApiClient, id: string, text: string): Promise<void> {
  const { chunks } = await api.say({ id, message: userMessage(text), clientRequestId: crypto.randomUUID() });
  if (chunks === null) throw new Error(`"${text}" was queued instead of answered.`);
  for await (const _ of chunks);
}

/** Signs a browser in, for one address. @param cookie as its person has it, `name=value; other=value` */
export async function takeCookie(context: BrowserContext, cookie: string, url: string): Promise<void> {
  const pairs = cookie.split('; ').map((pair) => pair.split(/=(.*)/s));
  await context.addCookies(pairs.map(([name = '', value = '']) => ({ name, value, url })));
}
