import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { POST } from '#app/api/auth/forgotten/route';
import { createMailer } from '#server/platform/mail/mailer';
import { createNotifications } from '#server/services/notifications';
import { startMailServer } from '#tests/support/mail-server';
import { serveSignIn, stopSignIn } from '#tests/support/sign-in-services';

const ORIGIN = 'http://localhost';

afterEach(stopSignIn);

it('creates one link and tries to mail it once while the mail server refuses mails temporarily', async () => {
  let attempts = 0;
  await using mail = await startMailServer({
    onMailFrom(_from, _session, done) {
      attempts += 1;
      done(Object.assign(new Error('Greylisted'), { responseCode: 451 }));
    },
  });
  const edith = { id: 'usr_edith', name: 'Edith', email: 'edith@kiln.example', banned: false };
  const people = {
    list: vi.fn(async () => [edith]),
    makePasswordToken: vi.fn(async () => ({
      person: edith,
      token: { token: 'secret', purpose: 'reset', expiresAt: Date.now() + 3_600_000 },
    })),
  };
  const accounts = { origin: ORIGIN, knownBrowser: async () => null, people };
  const mailer = createMailer({ url: mail.url, from: 'post@kiln.example' });
  const notifications = createNotifications({
    mailer,
    accounts: accounts as never,
    defaultLanguage: async () => 'en',
    turns: { editorialCalls: async () => [] },
    callRequests: { list: async () => [] },
    approvalMails: {} as never,
    onFault: (message) => expect.fail(message),
    // The retry and the approvals are not awaited here.
    pace: { firstMs: 3_600_000, nextMs: 3_600_000, retryMs: 600_000 },
  });
  const record = vi.fn();
  serveSignIn({ accounts, mailer, notifications, audit: { record } });
  const ask = async () => {
    const request = new Request(`${ORIGIN}/api/auth/forgotten`, {
      method: 'POST',
      headers: { host: 'localhost', origin: ORIGIN, 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ email: edith.email }),
    });
    return (await POST(request, { params: Promise.resolve({}) })).status;
  };
  try {
    expect(await ask()).toBe(204);
    await expect.poll(() => record.mock.calls.length).toBe(1);
    const statuses: number[] = [];
    for (let times = 0; times < 7; times += 1) statuses.push(await ask());
    // The first request was given back; the others count although no mail is sent for them.
    expect(statuses).toEqual([204, 204, 204, 204, 204, 429, 429]);
    await expect.poll(() => people.list.mock.calls.length).toBe(6);
    await nextTick();
    expect([people.makePasswordToken.mock.calls.length, attempts]).toEqual([1, 1]);
  } finally {
    notifications.close();
  }
});
