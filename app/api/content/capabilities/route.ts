import { route } from '#server/http/route';
import { capabilitiesSchema } from '#server/http/schemas/content-answers';

export const GET = route(
  { summary: 'What this site can do', answer: capabilitiesSchema, access: 'content:read' },
  async ({ services }) => services.content.capabilities(),
);
