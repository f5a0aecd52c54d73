import { programOf } from '#server/core/mcp-servers';
import { route } from '#server/http/route';
import { mcpServerParams, retestMcpServerBody, toolServerTestSchema } from '#server/http/schemas/mcp-servers';

export const POST = route(
  {
    summary: 'Tries to reach a stored tool server, with other settings if given',
    answer: toolServerTestSchema,
    access: 'admin',
    params: mcpServerParams,
    body: retestMcpServerBody,
  },
  async ({ params: { id }, body, services, principal, audit }) =>
    services.toolServers.test(body.transport, id, principal, ({ name, transport }) =>
      audit('tool-server-tested', { target: name, details: { id, ...programOf(transport) } }),
    ),
);
