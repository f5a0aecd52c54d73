import { toolServerAnswer, toolServersSchema } from '#server/core/admin/mcp-servers';
import { originOf } from '#server/http/request-origin';
import { route } from '#server/http/route';
import { mcpServerParams } from '#server/http/schemas/settings';
import { stateOf } from '#server/http/oauth/tool-server-cookie';

export const POST = route(
  {
    summary: 'Ends a sign-in to a tool server with the answer that the browser brings back, and connects the server',
    answer: toolServersSchema,
    access: 'administrator',
    params: mcpServerParams,
    body: toolServerAnswer,
  },
  async ({ params: { id }, body: answer, services, principal, request, audit }) => {
    const cookie = stateOf(request.headers, originOf(services, request));
    const returned = { answer, cookie, userId: principal.userId, now: Date.now() };
    await services.toolServers.finishSignIn(id, returned, ({ name }) =>
      audit('tool-server-connected', { target: name, details: { id } }),
    );
    return services.toolServersReport();
  },
);
