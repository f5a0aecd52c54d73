import { expect, test } from '#tests/e2e/support/desk-test';
import { viewPage } from '#server/integrations/mcp-server/view-page';
import { viewTexts } from '#server/core/messages/view-texts';

/** What a host of MCP Apps does (extension io.modelcontextprotocol/ui, 2026-01-26): a sandboxed frame, and messages. */
const HOST = `<!doctype html><iframe id="view" sandbox="allow-scripts" style="width:100%;height:600px;border:0"></iframe><script>
window.received = [];
const frame = document.getElementById('view');
addEventListener('message', ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  window.received.push(data);
  const answer = (message) => source.postMessage({ jsonrpc: '2.0', ...message }, '*');
  if (data.method === 'ui/initialize') answer({ id: data.id, result: { hostContext: { locale: window.locale } } });
  if (data.method === 'ui/notifications/initialized') answer({ method: 'ui/notifications/tool-result', params: window.result });
});
</script>`;

const ATTACK = "<img src=x onerror=\"parent.postMessage({method:'attack'},'*')\">";

test('a host shows the waiting difference as text and leads to our page, in each language', async ({ page }) => {
  const change = { field: 'title', kind: 'changed', before: 'Old', after: `New ${ATTACK}` };
  const effect = { summary: `Publishes "Pricing" ${ATTACK}`, warnings: [ATTACK], changes: [change] };
  const result = {
    structuredContent: { status: 'waiting-for-approval', decideAt: 'https://cms.example/account' },
    _meta: { 'throughline/effect': effect },
  };
  for (const [locale, texts] of Object.entries(viewTexts)) {
    // A new document: the script of the host begins anew.
    await page.goto('about:blank');
    await page.setContent(HOST);
    await page.evaluate(
      (given) => {
        Object.assign(window, given);
        (document.getElementById('view') as HTMLIFrameElement).srcdoc = given.html;
      },
      { html: viewPage, locale, result },
    );
    const view = page.frameLocator('#view');
    await expect(view.getByRole('heading', { name: /Publishes "Pricing"/ })).toBeVisible();
    await expect(view.getByText(texts.waits)).toBeVisible();
    await expect(view.locator('ins')).toHaveText(`New ${ATTACK}`);
    await expect(view.locator('img')).toHaveCount(0);
    await view.getByRole('button', { name: texts.decide }).click();
    const received = () => page.evaluate(() => (window as unknown as { received: unknown[] }).received);
    await expect
      .poll(received)
      .toContainEqual(
        expect.objectContaining({ method: 'ui/open-link', params: { url: 'https://cms.example/account' } }),
      );
    expect(await received()).not.toContainEqual(expect.objectContaining({ method: 'attack' }));
  }
});
