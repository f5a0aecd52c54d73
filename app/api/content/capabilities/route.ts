import { capabilitiesSchema } from '#server/core/site/site-capabilities';
import { route } from '#server/http/route';

export const GET = route(
  { summary: 'What this site can do', answer: capabilitiesSchema, access: 'content:read' },
  async ({ services }) => services.content.capabilities(),
);
