import type { NewMcpServer } from '#server/core/admin/mcp-servers';
import { readFileSync } from 'node:fs';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { isSealed } from '#server/core/secrets';
import { databaseFileOf } from '#server/platform/database/file-connection';
import { createMcpServerRepository } from '#server/integrations/mcp-client/mcp-server-repository';
import { mcpServers } from '#server/platform/database/schema/installation';
import { createSecretBox } from '#server/platform/database/secret-box';
import { createTestDatabase } from '#tests/support/test-database';

const SECRET = 'a secret of more than thirty-two characters';
const KEY = 'Bearer sk-0123456789-very-secret';
const server = (name: string, headers: Record<string, string>): NewMcpServer => ({
  name,
  transport: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers },
  policy: 'ask',
  isEnabled: false,
});

async function withDatabase(test: (db: Awaited<ReturnType<typeof createTestDatabase>>) => Promise<void>) {
  const db = await createTestDatabase();
  try {
    await test(db);
  } finally {
    await db.close();
  }
}

it('stores no secret that a copy of the database would tell', () =>
  withDatabase(async (db) => {
    const store = createMcpServerRepository(db, createSecretBox({ secret: SECRET, databaseUrl: db.url }));
    const { id } = await store.create(server('wiki', { Authorization: KEY }));
    const env = { TOKEN: KEY };
    await store.create({ ...server('git', {}), transport: { type: 'stdio', command: 'node', args: [], env } });
    await store.update(id, (present) => ({ ...present, isEnabled: true }));
    const transports = (await store.list()).map(({ transport }) => transport);
    expect(transports).toMatchObject([{ env }, { headers: { Authorization: KEY } }]);
    const file = databaseFileOf(db.url);
    for (const path of [file, `${file}-wal`]) {
      expect(readFileSync(path).includes('sk-0123456789'), path).toBe(false);
    }
  }));

it('does not take a secret for another one', () =>
  withDatabase(async (db) => {
    const store = createMcpServerRepository(db, createSecretBox({ secret: SECRET, databaseUrl: db.url }));
    const one = await store.create(server('one', { Authorization: KEY, 'X-Key': 'another' }));
    const two = await store.create(server('two', { Authorization: 'mine' }));
    const rows = await db.read.select().from(mcpServers);
    const transportOf = (id: string) => rows.find((row) => row.id === id)!.transport;
    const { Authorization, 'X-Key': key } = JSON.parse(transportOf(one.id)).headers;
    const swapped = { ...JSON.parse(transportOf(one.id)), headers: { Authorization: key, 'X-Key': Authorization } };
    await db.write(async (tx) => {
      await tx
        .update(mcpServers)
        .set({ transport: transportOf(one.id) })
        .where(eq(mcpServers.id, two.id))
        .run();
      await tx
        .update(mcpServers)
        .set({ transport: JSON.stringify(swapped) })
        .where(eq(mcpServers.id, one.id))
        .run();
    });
    const values = (await store.list()).flatMap(({ transport }) =>
      transport.type === 'stdio' ? [] : Object.values(transport.headers),
    );
    expect(values.map(isSealed)).toEqual([true, true, true, true]);
  }));

it('seals what an earlier version left as plain text, once', () =>
  withDatabase(async (db) => {
    const store = createMcpServerRepository(db, createSecretBox({ secret: SECRET, databaseUrl: db.url }));
    const { id } = await store.create(server('wiki', { Authorization: 'x' }));
    const plain = JSON.stringify(server('wiki', { Authorization: KEY }).transport);
    await db.write((tx) => tx.update(mcpServers).set({ transport: plain }).where(eq(mcpServers.id, id)).run());
    expect((await store.list())[0]?.transport).toMatchObject({ headers: { Authorization: KEY } });
    expect(await store.sealAll()).toEqual([]);
    const stored = async () => (await db.read.select().from(mcpServers))[0]!.transport;
    const sealed = await stored();
    expect(sealed).not.toContain('sk-0123456789');
    expect((await store.list())[0]?.transport).toMatchObject({ headers: { Authorization: KEY } });
    await store.sealAll();
    expect(await stored()).toBe(sealed);
  }));

it('names what another AUTH_SECRET cannot open, and keeps it for the right one', () =>
  withDatabase(async (db) => {
    const right = createMcpServerRepository(db, createSecretBox({ secret: SECRET, databaseUrl: db.url }));
    await right.create(server('wiki', { Authorization: KEY }));
    const wrong = createMcpServerRepository(db, createSecretBox({ secret: `${SECRET}!`, databaseUrl: db.url }));
    expect(await wrong.sealAll()).toEqual(['wiki: Authorization']);
    const [found] = await wrong.list();
    await wrong.update(found!.id, (present) => ({ ...present, policy: 'always' }));
    expect(await right.sealAll()).toEqual([]);
    expect((await right.list())[0]).toMatchObject({ policy: 'always', transport: { headers: { Authorization: KEY } } });
  }));
