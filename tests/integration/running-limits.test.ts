import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Handler } from '#server/http/route';
import type { Services } from '#server/services';
import { startTestServices } from '#tests/support/test-services';

const routes = import.meta.glob<Record<string, Handler>>('/app/api/sessions/[[]id]/{compact,prepare}/route.ts', {
  eager: true,
});
const container = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

let services: Services;
beforeAll(async () => {
  container.throughlineServices = startTestServices({ RUNNING_TURNS: '1' });
  services = await container.throughlineServices;
});
afterAll(async () => {
  delete container.throughlineServices;
  await services[Symbol.asyncDispose]();
});

async function ask(what: 'compact' | 'prepare') {
  const { id } = await services.sessions.create({ ownerId: 'own_local' });
  const handler = routes[`/app/api/sessions/[id]/${what}/route.ts`]!['POST']!;
  const request = new Request('http://localhost/api', { method: 'POST', headers: { host: 'localhost' }, body: '{}' });
  return (await handler(request, { params: Promise.resolve({ id }) })).status;
}

it.each(['compact', 'prepare'] as const)(
  'a %s takes one of the places of a user for what runs at once, and gives it back',
  async (what) => {
    const held = Promise.withResolvers<null>();
    const begun = vi.spyOn(services.context, what).mockImplementationOnce(async () => {
      await held.promise;
      throw new Error('It failed.');
    });
    const first = ask(what);
    await vi.waitFor(() => expect(begun).toHaveBeenCalledTimes(1));
    expect([await ask('compact'), await ask('prepare')]).toEqual([429, 429]);
    held.resolve(null);
    expect(await first).toBe(500);
    expect([await ask('compact'), await ask('prepare')]).toEqual([200, 200]);
    begun.mockRestore();
  },
);
