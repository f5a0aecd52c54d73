import { signInPageSchema, toolServersSchema } from '#server/core/admin/mcp-servers';
import { originOf } from '#server/http/request-origin';
import { route } from '#server/http/route';
import { mcpServerParams } from '#server/http/schemas/settings';
import { withCookies } from '#server/http/sign-in-routes';
import { stateCookie } from '#server/http/oauth/tool-server-cookie';

/** For people: the answer leads to a page on which a person agrees. */
export const POST = route(
  {
    summary: 'Begins a sign-in to a tool server (OAuth): the browser goes to this address',
    answer: signInPageSchema,
    access: 'administrator',
    isFresh: true,
    params: mcpServerParams,
  },
  async ({ params: { id }, services, principal, request }) => {
    const origin = originOf(services, request);
    const redirectUri = `${origin}/oauth/tool-servers/${id}`;
    const { address, state } = await services.toolServers.beginSignIn(id, principal.userId, redirectUri);
    return withCookies({ address }, [stateCookie(state, origin)]);
  },
);

export const DELETE = route(
  {
    summary: 'Signs out of a tool server: its tokens are deleted here, and revoked there',
    answer: toolServersSchema,
    access: 'admin',
    isFresh: true,
    params: mcpServerParams,
  },
  async ({ params: { id }, services, audit }) => {
    await services.toolServers.signOut(id, ({ name }) =>
      audit('tool-server-disconnected', { target: name, details: { id } }),
    );
    return services.toolServersReport();
  },
);
