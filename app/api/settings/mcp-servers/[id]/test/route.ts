import { route } from '#server/http/route';
import { toolServerTestSchema } from '#server/http/schemas/answers/mcp-servers';
import { mcpServerParams, retestMcpServerBody } from '#server/http/schemas/mcp-servers';

export const POST = route(
  {
    summary: 'Tries to reach a stored tool server, with other settings if given',
    answer: toolServerTestSchema,
    access: 'admin',
    params: mcpServerParams,
    body: retestMcpServerBody,
  },
  async ({ params, body, services }) => services.toolServers.test(body.transport, params.id),
);
