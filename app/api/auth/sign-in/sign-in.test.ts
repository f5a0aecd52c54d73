import { afterEach, expect, it } from 'vitest';
import { POST } from '#app/api/auth/sign-in/route';
import { ForbiddenError } from '#server/core/errors';

const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<unknown> };

afterEach(() => delete globals.throughlineServices);

it('a sign-in that is refused because the account is suspended is in the audit log', async () => {
  const told: unknown[][] = [];
  globals.throughlineServices = Promise.resolve({
    accounts: { origin: 'http://localhost', signIn: () => Promise.reject(new ForbiddenError('Suspended.')) },
    limits: { publicRequest: async () => undefined, attempts: { take: async () => undefined } },
    audit: { record: async (...facts: unknown[]) => void told.push(facts) },
    sites: { standardId: 'embedded' },
    at: () => ({ content: { draftsOnly: () => ({}) } }),
    env: { AUTH_MODE: 'accounts' },
    log: { error: () => undefined, info: () => undefined },
  });
  const request = new Request('http://localhost/api/auth/sign-in', {
    method: 'POST',
    headers: { host: 'localhost', origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email: 'gone@kiln.example', password: 'the right password' }),
  });
  const response = await POST(request, { params: Promise.resolve({}) });
  expect(response.status, await response.text()).toBe(403);
  expect(told).toMatchObject([[null, 'sign-in-failed', { actorName: 'gone@kiln.example', target: 'suspended' }]]);
});
