import { expect, it } from 'vitest';
import type { McpServer } from '#server/core/admin/mcp-servers';
import { McpServers, type McpServerStore } from '#server/integrations/mcp-client/mcp-servers';
import { LocalSignals } from '#server/platform/signals/signals';

const PERSON = { kind: 'local' } as const;

function fail(message: string, error?: unknown): never {
  throw new Error(message, { cause: error });
}

it('a list that was begun before a change and comes after it takes nothing back', async () => {
  let stored: McpServer[] = [];
  let held: Promise<void> | null = null;
  const store: Pick<McpServerStore, 'list' | 'create'> = {
    async list() {
      const read = stored;
      await held;
      return read;
    },
    create: (server) => {
      const created = { ...server, id: 'srv' };
      stored = [created];
      return Promise.resolve(created);
    },
  };
  let time = 0;
  const servers = await McpServers.load({
    store: store as McpServerStore,
    signals: new LocalSignals(fail),
    leases: { withLease: fail, ifFree: fail },
    variables: {},
    canRunPrograms: false,
    now: () => time,
    onFault: fail,
  });
  try {
    const gate = Promise.withResolvers<void>();
    held = gate.promise;
    time = 60_000;
    expect(servers.tools).toEqual([]);
    held = null;
    await servers.create(
      {
        name: 'files',
        transport: { type: 'http', url: 'https://tools.example/mcp', headers: {} },
        policy: 'ask',
        isEnabled: false,
      },
      PERSON,
    );
    const { version } = servers;
    gate.resolve();
    await gate.promise;
    await new Promise(setImmediate);
    expect(servers.version).toBe(version);
  } finally {
    await servers.close();
  }
});
