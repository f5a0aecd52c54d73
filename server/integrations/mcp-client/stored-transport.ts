import { serverText } from '#server/core/messages/server-text';
import { InvalidInputError } from '#server/core/errors';
import type { McpTransport, McpTransportInput, McpTransportReport } from '#server/core/admin/mcp-servers';

/* The transport (program or URL) of a configured tool server, whose secret values are stored and never sent to clients. */

/**
 * Completes the transport that an administrator entered: each null is replaced by the stored value.
 * @throws InvalidInputError for a null without a stored value
 */
export function withStoredValues(input: McpTransportInput, stored: McpTransport | null): McpTransport {
  const fill = (values: Readonly<Record<string, string | null>>, former: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const kept = value ?? (Object.hasOwn(former, name) ? former[name] : undefined);
        if (kept === undefined) throw new InvalidInputError(serverText('no-stored-value', { name }));
        return [name, kept];
      }),
    );
  if (input.type === 'stdio') return { ...input, env: fill(input.env, stored?.type === 'stdio' ? stored.env : {}) };
  // A stored secret is only sent to the origin for which it was entered.
  const isSameOrigin = stored && stored.type !== 'stdio' && new URL(stored.url).origin === new URL(input.url).origin;
  return { ...input, headers: fill(input.headers, isSameOrigin ? stored.headers : {}) };
}

/** The transport for clients: with the names of its secret values, without the values. */
export function reportTransport(transport: McpTransport): McpTransportReport {
  if (transport.type === 'stdio') return { ...transport, env: Object.keys(transport.env) };
  return { ...transport, headers: Object.keys(transport.headers) };
}
