import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '@libsql/client';
import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import type { SettingsReport } from '#server/core/admin/settings-report';
import { type ScriptedServer, startScriptedServer } from '#tests/e2e/support/scripted-model';
import type { FakeOpenRouter, FakeOpenRouterOptions } from '#tests/support/fake-openrouter';
import { demoSiteFile } from '#tests/support/production-server';

/** How long what a test has left running may take to end; milliseconds. */
const PATIENCE_MS = 20_000;
const POLL_MS = 50;

/** What tests that follow one another would share otherwise: limits per minute, and what is learned of a model's tokens. */
const APART = {
  TURNS_PER_MINUTE: '10000',
  CONTEXT_CALIBRATION_REPORTS: '1000',
  CONTEXT_CALIBRATION_MIN_REPORTS: '1000',
};

/** The installation (a test that changes it starts its own server), the migrations, and what triggers keep. */
const KEPT_TABLES =
  /^(users|sign_ins|accounts|verifications|settings|mcp_servers|model_\w+|leases|wordpress_sites|(sqlite|libsql|_|history_search)\w*)$/;

interface PooledServer {
  readonly scripted: ScriptedServer;
  /** Of the newest test. */
  provider: FakeOpenRouter;
  isLeased: boolean;
}

/**
 * Servers with a scripted model that the tests of a worker use one after another: a start takes seconds of the processor.
 * Each test finds the demo site, no conversations, the settings by default, and a provider with its own script and no
 * requests.
 */
export class ScriptedPool implements AsyncDisposable {
  #servers: PooledServer[] = [];

  /** Gives a server that one test has for itself; disposing gives it back. */
  async lease(respond: FakeOpenRouterOptions['respond']): Promise<ScriptedServer> {
    const server = (await this.#restored()) ?? (await this.#start());
    server.isLeased = true;
    server.provider = server.scripted.provider.begin(respond);
    return {
      server: server.scripted.server,
      provider: server.provider,
      async [Symbol.asyncDispose]() {
        server.isLeased = false;
      },
    };
  }

  async #restored(): Promise<PooledServer | null> {
    const found = this.#servers.find(({ isLeased }) => !isLeased);
    if (!found) return null;
    if (await restore(found)) return found;
    await this.#end(found);
    return null;
  }

  async #start(): Promise<PooledServer> {
    const scripted = await startScriptedServer(() => ({ hang: true }), APART);
    const server = { scripted, provider: scripted.provider, isLeased: true };
    this.#servers.push(server);
    return server;
  }

  async #end(server: PooledServer): Promise<void> {
    this.#servers = this.#servers.filter((each) => each !== server);
    await server.scripted[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await this.#end(server);
  }
}

/** Brings a server back to how it started. False: something runs on, and would disturb the next test. */
async function restore({ scripted: { server }, provider }: PooledServer): Promise<boolean> {
  const api = createApiClient({ baseUrl: server.url });
  const client = createClient({ url: `file:${server.databaseFile}`, concurrency: 1 });
  try {
    await client.executeMultiple('pragma busy_timeout = 10000; pragma foreign_keys = off;');
    if (!(await hasEnded(client, api, provider))) return false;
    const { sources } = await api.get<SettingsReport>(paths.engineSettings);
    const changed = Object.keys(sources).filter((name) => sources[name] === 'stored');
    if (changed.length > 0) await api.saveSettings(Object.fromEntries(changed.map((name) => [name, null])));
    await copyDemoSite(client);
    return true;
  } finally {
    client.close();
  }
}

/** The first column. */
async function textsOf(client: Client, sql: string): Promise<string[]> {
  return (await client.execute(sql)).rows.flatMap(({ 0: value }) => (typeof value === 'string' ? [value] : []));
}

/** Stops all turns and compactions, and waits until no request to the provider is open. */
async function hasEnded(client: Client, api: ReturnType<typeof createApiClient>, provider: FakeOpenRouter) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    await client.execute('delete from queued_messages');
    const turns = await textsOf(client, "select session_id as id from turns where status = 'running'");
    const compacting = await textsOf(client, 'select id from sessions where currently_compacting = 1');
    for (const id of compacting) await api.cancelCompaction(id);
    for (const id of turns) await api.cancel(id);
    const isQuiet = provider.requests.every(({ state }) => state !== 'open');
    if (turns.length + compacting.length === 0 && isQuiet) return true;
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
}

/** Replaces the rows that a test has left with those of the demo site, in one transaction. */
async function copyDemoSite(client: Client): Promise<void> {
  const names = await textsOf(client, "select name from sqlite_master where type = 'table'");
  const tables = names.filter((name) => !KEPT_TABLES.test(name));
  const statements = await Promise.all(
    tables.map(async (table) => {
      // Generated columns are none that could be written.
      const columns = await textsOf(client, `select '"' || name || '"' from pragma_table_info('${table}')`);
      return `delete from "${table}"; insert into "${table}" (${columns.join()}) select ${columns.join()} from demo."${table}";`;
    }),
  );
  await client.executeMultiple(
    `attach '${demoSiteFile()}' as demo; begin immediate; ${statements.join('\n')} commit; detach demo;`,
  );
}
