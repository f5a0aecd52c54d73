import { isDeepStrictEqual } from 'node:util';
import { Mutex } from 'async-mutex';
import { ForbiddenError, InvalidInputError, NotFoundError, ToolError } from '#server/core/errors';
import type {
  McpServer,
  McpServerInput,
  McpServerReport,
  McpServersReport,
  McpTest,
  McpTransport,
  McpTransportInput,
  McpTransportReport,
} from '#server/core/mcp-servers';
import type { Principal } from '#server/core/access-rights';
import { mcpServersTopic, type Signals } from '#server/core/events';
import type { ToolPolicy } from '#server/core/settings-report';
import { openConnection, reasonOf, shortReason } from '#server/mcp/connection';
import type { Variables } from '#server/mcp/environment';
import { type McpTool, modelNames, toMcpTool } from '#server/mcp/mcp-tool';
import { PROGRAMS_ARE_OFF, ServerLink } from '#server/mcp/server-link';

/** Storage of the configured servers. */
export interface McpServerStore {
  /** By name. */
  list(): Promise<McpServer[]>;
  /** @throws ConflictError where the name is taken, or there are too many */
  create(server: Omit<McpServer, 'id'>): Promise<McpServer>;
  /** @param decide may run more than once @throws NotFoundError, ConflictError where the name is taken */
  update(id: string, decide: (server: McpServer) => Omit<McpServer, 'id'>): Promise<McpServer>;
  /** @returns the deleted server @throws NotFoundError */
  delete(id: string): Promise<McpServer>;
}

export interface McpServersOptions {
  readonly store: McpServerStore;
  readonly signals: Signals;
  /** Environment for `${MCP_...}` references and for programs. */
  readonly variables: Variables;
  readonly canRunPrograms: boolean;
  /** Epoch milliseconds. Default: the clock. */
  readonly now?: () => number;
  readonly onFault: (message: string, error?: unknown) => void;
}

/** Part of a server that an administrator changes. */
export type McpServerPatch = { readonly [Key in keyof McpServerInput]?: McpServerInput[Key] | undefined };

/**
 * The caller who configures a server. A program runs with the rights of this process, so only a person may add, change
 * or test one: an API key lies in scripts and on other machines, and would allow to run anything here.
 */
type Author = Pick<Principal, 'kind'>;

/** Records what is about to be connected or run; nothing of it starts before that is done. */
type Recorder<T> = (server: T) => Promise<void>;
/** The server to test, under its name if it is stored. */
type TestedServer = Pick<McpServer, 'transport'> & Partial<McpServer>;
const recordNothing = async () => undefined;

/** Milliseconds after which the servers are read again in case a signal of another process was missed. */
const MAX_AGE_MS = 5_000;

/** The tool servers of this process: their configuration, connections and tools. */
export class McpServers {
  readonly #options: McpServersOptions;
  readonly #now: () => number;
  readonly #unsubscribe: () => void;
  #links = new Map<string, ServerLink>();
  #tools: readonly McpTool[] = [];
  #version = 0;
  #readAt: number;
  /** Numbers of the newest reading begun and of the newest one applied. */
  #begun = 0;
  #taken = 0;
  #reading: Promise<void> | null = null;
  #isStale = false;
  #isClosed = false;
  /** Held while a change is made and recorded: no reading connects what it finds before. */
  readonly #changing = new Mutex();
  /** Connections being closed. */
  readonly #endings = new Set<Promise<void>>();

  private constructor(options: McpServersOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#readAt = this.#now();
    this.#unsubscribe = options.signals.subscribe(mcpServersTopic, () => this.#reread());
  }

  /** Reads the configuration; servers are connected in the background. */
  static async load(options: McpServersOptions): Promise<McpServers> {
    const servers = new McpServers(options);
    await servers.#read();
    return servers;
  }

  /** Tools of all servers, by server and name; the same object until something changes. */
  get tools(): readonly McpTool[] {
    if (this.#now() - this.#readAt >= MAX_AGE_MS) this.#reread();
    return this.#tools;
  }

  /** Changes whenever the tools change. */
  get version(): number {
    return this.#version;
  }

  /**
   * Report of all servers for the settings page.
   * @param policyOf effective policy of a tool, and whether it is set for the tool itself
   * @param limit tokens above which definitions are loaded on demand
   */
  async report(
    policyOf: (tool: McpTool) => { policy: ToolPolicy; isOverridden: boolean },
    limit: number,
  ): Promise<McpServersReport> {
    await this.#read();
    const items = [...this.#links.values()].map((link) => this.#reportOf(link, policyOf));
    const tokens = items.reduce((sum, item) => sum + item.tokens, 0);
    return { items, tokens, limit, canRunPrograms: this.#options.canRunPrograms };
  }

  /** @throws ConflictError, InvalidInputError, ForbiddenError; nothing was changed */
  async create(input: McpServerInput, author: Author, record: Recorder<McpServer> = recordNothing): Promise<McpServer> {
    const transport = this.#checked(input.transport, null, author);
    const { store } = this.#options;
    return this.#change(
      () => store.create({ ...input, transport }),
      record,
      ({ id }) => store.delete(id),
    );
  }

  /** @throws NotFoundError, ConflictError, InvalidInputError, ForbiddenError; nothing was changed */
  async update(
    id: string,
    patch: McpServerPatch,
    author: Author,
    record: Recorder<McpServer> = recordNothing,
  ): Promise<McpServer> {
    const { name, transport, policy, isEnabled } = patch;
    const { store } = this.#options;
    let former: McpServer | undefined;
    const decide = (server: McpServer) => {
      requirePerson(author, server.transport);
      former = server;
      return {
        name: name ?? server.name,
        transport: transport ? this.#checked(transport, server.transport, author) : server.transport,
        policy: policy ?? server.policy,
        isEnabled: isEnabled ?? server.isEnabled,
      };
    };
    return this.#change(
      () => store.update(id, decide),
      record,
      (changed) => store.update(id, () => former ?? changed),
    );
  }

  /** @throws NotFoundError */
  async get(id: string): Promise<McpServer> {
    const stored = (await this.#options.store.list()).find((server) => server.id === id);
    if (!stored) throw new NotFoundError('tool server', id);
    return stored;
  }

  /** @returns the deleted server @throws NotFoundError */
  async delete(id: string): Promise<McpServer> {
    return this.#change(
      () => this.#options.store.delete(id),
      recordNothing,
      async () => undefined,
    );
  }

  /**
   * Opens a connection, lists the tools and disconnects. Where that works, a stored server that had failed is connected.
   * @param id id of a stored server, whose values replace those that are null
   * @throws NotFoundError, InvalidInputError, ForbiddenError
   */
  async test(
    input: McpTransportInput | undefined,
    id: string | null,
    author: Author,
    record: Recorder<TestedServer> = recordNothing,
  ): Promise<McpTest> {
    const stored = id === null ? null : await this.get(id);
    if (stored) requirePerson(author, stored.transport);
    const transport = input ? this.#checked(input, stored?.transport ?? null, author) : stored!.transport;
    await record({ ...stored, transport });
    const startedAt = performance.now();
    const latency = () => Math.round(performance.now() - startedAt);
    try {
      const tools = await this.#list(transport, stored?.name ?? 'test');
      if (id !== null) this.#links.get(id)?.retryNow();
      const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
      return { ok: true, latencyMs: latency(), tools: tools.length, tokens, message: 'It answers.' };
    } catch (error) {
      return { ok: false, latencyMs: latency(), tools: null, tokens: null, message: shortReason(reasonOf(error)) };
    }
  }

  /** Closes every connection, and waits for the end of every program. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    await this.#reading;
    for (const link of this.#links.values()) this.#end(link);
    await Promise.all(this.#endings);
  }

  async #list(transport: McpTransport, name: string): Promise<McpTool[]> {
    const { variables, canRunPrograms } = this.#options;
    if (transport.type === 'stdio' && !canRunPrograms) throw new ToolError(PROGRAMS_ARE_OFF);
    const ignore = () => undefined;
    const signal = new AbortController().signal;
    const connection = await openConnection(transport, { variables, signal, onLost: ignore, onToolsChanged: ignore });
    try {
      const definitions = await connection.list();
      const server: McpServer = { id: 'test', name, transport, policy: 'ask', isEnabled: true };
      return toTools(server, definitions, { call: () => Promise.reject(new ToolError('Only listed.')) });
    } catch (error) {
      throw new ToolError(connection.lost ?? connection.redact(reasonOf(error)), { cause: error });
    } finally {
      await connection.close().catch(ignore);
    }
  }

  /** @throws InvalidInputError, ForbiddenError */
  #checked(input: McpTransportInput, stored: McpTransport | null, author: Author): McpTransport {
    requirePerson(author, input);
    if (input.type === 'stdio' && !this.#options.canRunPrograms) throw new InvalidInputError(PROGRAMS_ARE_OFF);
    return keepStored(input, stored);
  }

  async #change(
    change: () => Promise<McpServer>,
    record: Recorder<McpServer>,
    undo: (changed: McpServer) => Promise<unknown>,
  ): Promise<McpServer> {
    const result = await this.#changing.runExclusive(async () => {
      const server = await change();
      try {
        await record(server);
      } catch (error) {
        await undo(server);
        throw error;
      }
      return server;
    });
    this.#options.signals.notify(mcpServersTopic);
    await this.#read();
    return result;
  }

  /** Reads again in the background, one reading at a time; a change during one is read afterwards. */
  #reread(): void {
    if (this.#isClosed) return;
    this.#readAt = this.#now();
    this.#isStale = this.#reading !== null;
    this.#reading ??= this.#read()
      .catch((error: unknown) => this.#options.onFault('the stored tool servers cannot be read', error))
      .finally(() => {
        this.#reading = null;
        if (this.#isStale) this.#reread();
      });
  }

  async #read(): Promise<void> {
    const reading = (this.#begun += 1);
    const servers = await this.#options.store.list();
    await this.#changing.waitForUnlock();
    // A reading that began earlier may end later.
    if (this.#isClosed || reading < this.#taken) return;
    this.#taken = reading;
    this.#readAt = this.#now();
    const before = this.#links;
    if (
      isDeepStrictEqual(
        servers,
        [...before.values()].map(({ server }) => server),
      )
    )
      return;
    this.#links = new Map(servers.map((server) => [server.id, this.#linkOf(server)]));
    for (const [id, link] of before) if (this.#links.get(id) !== link) this.#end(link);
    for (const [id, link] of this.#links) if (before.get(id) !== link) link.start();
    this.#rebuild();
  }

  /** The present link if it is reached in the same way, else a new one. */
  #linkOf(server: McpServer): ServerLink {
    const present = this.#links.get(server.id);
    if (present?.takes(server)) return present;
    const { variables, canRunPrograms } = this.#options;
    return new ServerLink(server, { variables, canRunPrograms, now: this.#now, onTools: () => this.#rebuild() });
  }

  #end(link: ServerLink): void {
    const ending = link.close().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  #rebuild(): void {
    this.#version += 1;
    this.#tools = [...this.#links.values()].flatMap((link) =>
      link.server.isEnabled ? toTools(link.server, link.definitions, link) : [],
    );
  }

  #reportOf(
    { server, state }: ServerLink,
    policyOf: (tool: McpTool) => { policy: ToolPolicy; isOverridden: boolean },
  ): McpServerReport {
    const tools = this.#tools
      .filter(({ serverId }) => serverId === server.id)
      .map((each) => {
        const { tool, title, tokens } = each;
        const { name, description, writes = false } = tool;
        return { name, title, description, writes, tokens, ...policyOf(each) };
      });
    const { id, name, policy, isEnabled } = server;
    const offered = tools.filter((tool) => tool.policy !== 'off');
    const tokens = offered.reduce((sum, tool) => sum + tool.tokens, 0);
    const { status, problem, since } = state;
    const transport = reportTransport(server.transport);
    return { id, name, transport, policy, isEnabled, status, problem, since, tokens, tools };
  }
}

function toTools(
  server: McpServer,
  definitions: ServerLink['definitions'],
  caller: Pick<ServerLink, 'call'>,
): McpTool[] {
  const names = modelNames(
    server.name,
    definitions.map(({ name }) => name),
  );
  return definitions.map((definition) => toMcpTool(server, definition, names.get(definition.name)!, caller));
}

/** @throws ForbiddenError for a key and a server that is a program */
function requirePerson({ kind }: Author, { type }: Pick<McpTransport, 'type'>): void {
  if (kind === 'key' && type === 'stdio') {
    throw new ForbiddenError(
      'A tool server that is a program is set up by a person, not with an API key. Sign in as an administrator.',
    );
  }
}

/** @throws InvalidInputError where null stands for a value that is not stored */
function keepStored(input: McpTransportInput, stored: McpTransport | null): McpTransport {
  const fill = (values: Readonly<Record<string, string | null>>, former: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const kept = value ?? (Object.hasOwn(former, name) ? former[name] : undefined);
        if (kept === undefined) throw new InvalidInputError(`There is no stored value of "${name}" to keep.`);
        return [name, kept];
      }),
    );
  if (input.type === 'stdio') return { ...input, env: fill(input.env, stored?.type === 'stdio' ? stored.env : {}) };
  // A stored secret is only sent to the origin it was entered for.
  const isSameOrigin = stored && stored.type !== 'stdio' && new URL(stored.url).origin === new URL(input.url).origin;
  return { ...input, headers: fill(input.headers, isSameOrigin ? stored.headers : {}) };
}

function reportTransport(transport: McpTransport): McpTransportReport {
  if (transport.type === 'stdio') return { ...transport, env: Object.keys(transport.env) };
  return { ...transport, headers: Object.keys(transport.headers) };
}
