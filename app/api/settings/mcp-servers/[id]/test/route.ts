import { programOf, toolServerTestSchema } from '#server/core/admin/mcp-servers';
import { route } from '#server/http/route';
import { mcpServerParams, retestMcpServerBody } from '#server/http/schemas/settings';

export const POST = route(
  {
    summary: 'Tries to reach a stored tool server, with other settings if given',
    answer: toolServerTestSchema,
    access: 'admin',
    isFresh: true,
    params: mcpServerParams,
    body: retestMcpServerBody,
  },
  async ({ params: { id }, body, services, principal, audit }) =>
    services.toolServers.test(body.transport, id, principal, ({ name, transport }) =>
      audit('tool-server-tested', {
        target: name,
        details: { id, ...programOf(transport) },
        isRequired: transport.type === 'stdio',
      }),
    ),
);
