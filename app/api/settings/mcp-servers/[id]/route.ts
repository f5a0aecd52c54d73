import { programOf, toolServersSchema } from '#server/core/admin/mcp-servers';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { mcpServerParams, updateMcpServerBody } from '#server/http/schemas/settings';

export const PATCH = route(
  {
    summary: 'Changes a tool server',
    answer: toolServersSchema,
    access: 'admin',
    isFresh: true,
    params: mcpServerParams,
    body: updateMcpServerBody,
  },
  async ({ params: { id }, body, services, principal, audit }) => {
    if (body.siteId) await services.sites.requireAll([body.siteId]);
    await services.toolServers.update(id, body, principal, ({ name, transport }) =>
      audit('tool-server-changed', {
        target: name,
        details: { id, changed: Object.keys(body), ...programOf(transport) },
        isRequired: transport.type === 'stdio',
      }),
    );
    return services.toolServersReport();
  },
);

export const DELETE = route(
  { summary: 'Removes a tool server', answer: { 204: null }, access: 'admin', isFresh: true, params: mcpServerParams },
  async ({ params, services, audit }) => {
    const { name } = await services.toolServers.delete(params.id);
    await audit('tool-server-deleted', { target: name, details: { id: params.id } });
    return noContent();
  },
);
