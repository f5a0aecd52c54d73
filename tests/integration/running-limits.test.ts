import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Services } from '#server/services';
import { startTestServices } from '#tests/support/test-services';
import { callRoute, serve, stopServing } from '#tests/support/routes';

let services: Services;
beforeAll(async () => {
  services = await serve(startTestServices({ RUNNING_TURNS: '1' }));
});
afterAll(stopServing);

async function ask(what: 'compact' | 'prepare') {
  const { id } = await services.sessions.create({ ownerId: 'own_local' });
  return (await callRoute('POST', `/api/sessions/${id}/${what}`, { body: {} })).status;
}

it.each(['compact', 'prepare'] as const)(
  "a %s takes one of a user's places for concurrent work, and releases it",
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
