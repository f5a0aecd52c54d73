import { programOf, toolServerTestSchema } from '#server/core/admin/mcp-servers';
import { route } from '#server/http/route';
import { testMcpServerBody } from '#server/http/schemas/settings';

export const POST = route(
  {
    summary: 'Tries to reach a tool server that is not stored',
    answer: toolServerTestSchema,
    access: 'admin',
    isFresh: true,
    body: testMcpServerBody,
  },
  async ({ body, services, principal, audit }) =>
    services.toolServers.test(body.transport, null, principal, ({ transport }) =>
      audit('tool-server-tested', { details: programOf(transport), isRequired: transport.type === 'stdio' }),
    ),
);
