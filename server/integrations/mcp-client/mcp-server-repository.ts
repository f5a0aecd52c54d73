import { asc, eq } from 'drizzle-orm';
import type { z } from 'zod';
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
import { credentialsSchema, pendingSignInSchema } from '#server/integrations/mcp-client/oauth/stored-authorization';
import { parseJsonColumn } from '#server/platform/database/json-column';

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
    const { id, name, policy, isEnabled, siteId, connectedAt } = row;
    const transport = mapSecrets(storedTransport(row), id, box.open);
    return { id, name, policy, isEnabled, siteId, connectedAt, transport };
  };
  const find = (id: string) => db.read.select().from(mcpServers).where(eq(mcpServers.id, id)).get();
  const sealJson = (id: string, column: SealedColumn, value: object) =>
    box.seal(JSON.stringify(value), `mcp_servers/${id}/${column}`);
  const openJson = <T>(row: Row | undefined, column: SealedColumn, schema: z.ZodType<T>): T | null => {
    const value = row?.[column] ?? null;
    if (!row || value === null) return null;
    const opened = box.open(value, `mcp_servers/${row.id}/${column}`);
    // Sealed with another key: as if nobody had signed in.
    if (isSealed(opened)) return null;
    return parseJsonColumn(schema, opened, { table: 'mcp_servers', id: row.id });
  };
  const credentialsOf = (row: Row | undefined) => openJson(row, 'credentials', credentialsSchema);
  const change = async (id: string, changes: Partial<Row>) => {
    const set = { ...changes, updatedAt: now() };
    const row = await db.write((tx) => tx.update(mcpServers).set(set).where(eq(mcpServers.id, id)).returning().get());
    if (!row) throw new NotFoundError('tool server', id);
    return fromRow(row);
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
        // Tokens are for one address.
        const isElsewhere = addressOf(server.transport) !== addressOf(storedTransport(row));
        const changes = { ...columns(id, server), ...(isElsewhere && SIGNED_OUT), updatedAt: now() };
        return fromRow(await tx.update(mcpServers).set(changes).where(eq(mcpServers.id, id)).returning().get());
      }),

    async delete(id) {
      const row = await db.write((tx) => tx.delete(mcpServers).where(eq(mcpServers.id, id)).returning().get());
      if (!row) throw new NotFoundError('tool server', id);
      return fromRow(row);
    },

    credentials: async (id) => credentialsOf(await find(id)),

    async replaceTokens(id, former, tokens) {
      await db.write(async (tx) => {
        const row = await tx.select().from(mcpServers).where(eq(mcpServers.id, id)).get();
        const stored = credentialsOf(row);
        if (stored === null || stored.tokens.refresh_token !== former) return;
        const set = tokens ? { credentials: sealJson(id, 'credentials', { ...stored, tokens }) } : SIGNED_OUT;
        await tx.update(mcpServers).set(set).where(eq(mcpServers.id, id)).run();
      });
    },

    async beginSignIn(id, pending) {
      await change(id, { pendingSignIn: sealJson(id, 'pendingSignIn', pending) });
    },

    takeSignIn: (id, belongs) =>
      db.write(async (tx) => {
        const row = await tx.select().from(mcpServers).where(eq(mcpServers.id, id)).get();
        const pending = openJson(row, 'pendingSignIn', pendingSignInSchema);
        if (pending === null || !belongs(pending)) return null;
        await tx.update(mcpServers).set({ pendingSignIn: null }).where(eq(mcpServers.id, id)).run();
        return pending;
      }),

    connect: (id, credentials) =>
      change(id, { ...SIGNED_OUT, credentials: sealJson(id, 'credentials', credentials), connectedAt: now() }),

    disconnect: (id) => change(id, SIGNED_OUT),

    sealAll: () =>
      db.write(async (tx) => {
        const unreadable: string[] = [];
        for (const row of await tx.select().from(mcpServers)) {
          const server = fromRow(row);
          const closed = secretsOf(server.transport).filter(([, value]) => isSealed(value));
          unreadable.push(...closed.map(([name]) => `${server.name}: ${name}`));
          const credentials = credentialsOf(row);
          if (row.credentials !== null && credentials === null) unreadable.push(`${server.name}: OAuth`);
          const stored = [...secretsOf(storedTransport(row)).map(([, value]) => value), row.credentials ?? []].flat();
          if (stored.every((value) => box.isCurrent(value))) continue;
          const sealed = credentials && { credentials: sealJson(row.id, 'credentials', credentials) };
          const changes = { ...columns(row.id, server), ...sealed };
          await tx.update(mcpServers).set(changes).where(eq(mcpServers.id, row.id)).run();
        }
        return unreadable;
      }),
  };
}

type SealedColumn = 'credentials' | 'pendingSignIn';

/** Columns of a server to which nobody has signed in. */
const SIGNED_OUT = { credentials: null, connectedAt: null, pendingSignIn: null };

/** Address of a server, to which its tokens belong; null for a program. */
function addressOf(transport: McpTransport): string | null {
  return transport.type === 'stdio' ? null : transport.url;
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
