import { providerTestSchema } from '#server/core/admin/providers';
import { route } from '#server/http/route';
import { providerParams } from '#server/http/schemas/settings';

export const POST = route(
  {
    summary: 'Tries a connected provider: its list of models, its key, and whether a model of it uses tools',
    answer: providerTestSchema,
    access: 'admin',
    isFresh: true,
    params: providerParams,
  },
  async ({ params, services, request, audit }) => {
    await audit('provider-tested', { target: params.id });
    return services.providers.test(params.id, request.signal);
  },
);
