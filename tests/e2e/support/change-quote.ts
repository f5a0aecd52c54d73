import { expect, type Page } from '@playwright/test';

/** Somebody else's hand, through REST: other words in the page's quote. */
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
