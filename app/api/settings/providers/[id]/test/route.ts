import { providerTestSchema } from '#server/core/providers';
import { route } from '#server/http/route';
import { providerParams } from '#server/http/schemas/settings';

export const POST = route(
  {
    summary: 'Tries a connected provider: its list of models, its key, and whether a model of it uses tools',
    answer: providerTestSchema,
    access: 'admin',
    params: providerParams,
  },
  async ({ params, services }) => services.providers.test(params.id),
);
