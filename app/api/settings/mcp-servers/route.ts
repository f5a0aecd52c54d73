import { programOf, toolServersSchema } from '#server/core/admin/mcp-servers';
import { created } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { createMcpServerBody } from '#server/http/schemas/settings';

export const GET = route(
  { summary: 'The tool servers with their tools and state', answer: toolServersSchema, access: 'admin' },
  async ({ services }) => services.toolServersReport(),
);

export const POST = route(
  {
    summary: 'Adds a tool server',
    answer: { 201: toolServersSchema },
    access: 'admin',
    isFresh: true,
    body: createMcpServerBody,
  },
  async ({ body, services, principal, audit }) => {
    if (body.siteId) await services.sites.requireAll([body.siteId]);
    await services.toolServers.create(body, principal, ({ id, name, transport }) =>
      audit('tool-server-created', {
        target: name,
        details: { id, ...programOf(transport) },
        isRequired: transport.type === 'stdio',
      }),
    );
    return created(await services.toolServersReport());
  },
);
