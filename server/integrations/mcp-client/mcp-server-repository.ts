import { asc, eq } from 'drizzle-orm';
import { isSealed } from '#server/core/secrets';
import type { Database } from '#server/platform/database/database';
import { mcpServers } from '#server/platform/database/schema/installation';
import type { SecretBox } from '#server/platform/database/secret-box';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import {
  type McpServer,
  type McpTransport,
  mcpTransportSchema,
  type NewMcpServer,
} from '#server/core/admin/mcp-servers';
import { serverText } from '#server/core/messages/server-text';
import type { McpServerStore } from '#server/integrations/mcp-client/mcp-servers';
import { parseJsonColumn } from '#server/platform/database/json-column';

/** A tool server before it is stored. */

/** Maximum number of tool servers: each may be a process, and more are probably a mistake. */
const MAX_MCP_SERVERS = 50;

/**
 * Storage of the configured tool servers. Values of headers and variables are stored encrypted; a value that cannot be
 * decrypted is returned in its encrypted form (`isSealed`), and stays stored.
 */
interface McpServerRepository extends McpServerStore {
  /**
   * Encrypts secrets that are stored as plain text or with an older key.
   * @returns secrets that cannot be decrypted, for display: `wiki: Authorization`
   */
  sealAll(): Promise<string[]>;
}

type Row = typeof mcpServers.$inferSelect;

/** @param box encrypts secrets @param now gives epoch milliseconds */
export function createMcpServerRepository(
  db: Database,
  box: SecretBox,
  now: () => number = Date.now,
): McpServerRepository {
  const columns = (id: string, { name, transport, policy, isEnabled, siteId = null }: NewMcpServer) => ({
    name,
    transport: JSON.stringify(mapSecrets(transport, id, box.seal)),
    policy,
    isEnabled,
    siteId,
  });
  const storedTransport = ({ id, transport }: Row) =>
    parseJsonColumn(mcpTransportSchema, transport, { table: 'mcp_servers', id });
  const fromRow = (row: Row): McpServer => {
    const { id, name, policy, isEnabled, siteId } = row;
    return { id, name, policy, isEnabled, siteId, transport: mapSecrets(storedTransport(row), id, box.open) };
  };

  return {
    async list() {
      return (await db.read.select().from(mcpServers).orderBy(asc(mcpServers.name))).map(fromRow);
    },

    create: (server) =>
      db.write(async (tx) => {
        const present = await tx.select({ name: mcpServers.name }).from(mcpServers);
        requireFree(
          server.name,
          present.map(({ name }) => name),
        );
        if (present.length >= MAX_MCP_SERVERS) {
          throw new ConflictError(serverText('too-many-tool-servers', { count: MAX_MCP_SERVERS }));
        }
        const time = now();
        const id = createId('mcp');
        const row = { id, ...columns(id, server), createdAt: time, updatedAt: time };
        return fromRow(await tx.insert(mcpServers).values(row).returning().get());
      }),

    update: (id, decide) =>
      db.write(async (tx) => {
        const rows = await tx.select().from(mcpServers);
        const row = rows.find((each) => each.id === id);
        if (!row) throw new NotFoundError('tool server', id);
        const server = decide(fromRow(row));
        requireFree(
          server.name,
          rows.filter((each) => each.id !== id).map(({ name }) => name),
        );
        const changes = { ...columns(id, server), updatedAt: now() };
        return fromRow(await tx.update(mcpServers).set(changes).where(eq(mcpServers.id, id)).returning().get());
      }),

    async delete(id) {
      const row = await db.write((tx) => tx.delete(mcpServers).where(eq(mcpServers.id, id)).returning().get());
      if (!row) throw new NotFoundError('tool server', id);
      return fromRow(row);
    },

    sealAll: () =>
      db.write(async (tx) => {
        const unreadable: string[] = [];
        for (const row of await tx.select().from(mcpServers)) {
          const server = fromRow(row);
          const closed = secretsOf(server.transport).filter(([, value]) => isSealed(value));
          unreadable.push(...closed.map(([name]) => `${server.name}: ${name}`));
          if (secretsOf(storedTransport(row)).every(([, value]) => box.isCurrent(value))) continue;
          await tx.update(mcpServers).set(columns(row.id, server)).where(eq(mcpServers.id, row.id)).run();
        }
        return unreadable;
      }),
  };
}

/** @throws ConflictError if the name is in use */
function requireFree(name: string, taken: readonly string[]): void {
  if (taken.includes(name)) throw new ConflictError(serverText('tool-server-name-taken', { name }));
}

/** The secret values of a transport, with their names. */
function secretsOf(transport: McpTransport): [string, string][] {
  return Object.entries(transport.type === 'stdio' ? transport.env : transport.headers);
}

/** Encrypts or decrypts the secret values of a transport. */
function mapSecrets(transport: McpTransport, id: string, map: SecretBox['seal']): McpTransport {
  const values = Object.fromEntries(
    secretsOf(transport).map(([name, value]) => [name, map(value, `mcp_servers/${id}/${name}`)]),
  );
  return transport.type === 'stdio' ? { ...transport, env: values } : { ...transport, headers: values };
}
