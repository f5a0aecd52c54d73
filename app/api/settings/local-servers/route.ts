import { localServersSchema } from '#server/core/admin/providers';
import { route } from '#server/http/route';

export const GET = route(
  {
    summary: 'Looks for model servers on this machine, by their usual ports',
    answer: localServersSchema,
    access: 'admin',
  },
  async ({ services: { providers }, audit }) => {
    await audit('provider-tested', { target: 'localhost' });
    return { items: await providers.localServers() };
  },
);
