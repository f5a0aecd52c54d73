import { providerTestSchema } from '#server/core/settings-report';
import { route } from '#server/http/route';
import { providerParams } from '#server/http/schemas/settings';

export const POST = route(
  {
    summary: 'Tries to reach a provider of models',
    answer: providerTestSchema,
    access: 'admin',
    params: providerParams,
  },
  async ({ params, services }) => services.testProvider(params.id),
);
