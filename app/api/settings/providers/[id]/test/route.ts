import { route } from '#server/http/route';
import { providerParams, providerTestSchema } from '#server/http/schemas/settings';

export const POST = route(
  {
    summary: 'Tries to reach a provider of models',
    answer: providerTestSchema,
    access: 'admin',
    params: providerParams,
  },
  async ({ params, services }) => services.testProvider(params.id),
);
