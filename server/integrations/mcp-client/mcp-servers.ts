import { messageOfText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import type { Clock, FaultLog } from '#server/core/process';
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
  NewMcpServer,
} from '#server/core/admin/mcp-servers';
import type { Principal } from '#server/core/admin/access-rights';
import { mcpServersTopic, type Signals } from '#server/core/conversation/events';
import type { ToolPolicy } from '#server/core/admin/settings-report';
import { type McpDefinition, openConnection } from '#server/integrations/mcp-client/connection';
import { reasonOf, shortReason } from '#server/integrations/mcp-client/oauth/failure-reason';
import type { Variables } from '#server/integrations/mcp-client/transport-secrets';
import {
  type McpCaller,
  type McpTool,
  RESOURCE_TOOL,
  toMcpTool,
  toResourceTool,
} from '#server/integrations/mcp-client/mcp-tool';
import { modelNames } from '#server/integrations/mcp-client/model-names';
import { AccessTokens } from '#server/integrations/mcp-client/oauth/access-tokens';
import {
  beginSignIn,
  belongsTo,
  finishSignIn,
  revokeTokens,
  type SignInReturn,
} from '#server/integrations/mcp-client/oauth/sign-in';
import type {
  AuthorizationPeer,
  CredentialStore,
  PendingSignIn,
  ToolServerCredentials,
} from '#server/integrations/mcp-client/oauth/stored-authorization';
import type { Leases } from '#server/platform/database/leases';
import { ServerLink } from '#server/integrations/mcp-client/server-link';
import { reportTransport, withStoredValues } from '#server/integrations/mcp-client/stored-transport';

/** Storage of the configured tool servers. */
export interface McpServerStore extends CredentialStore {
  /** Lists all servers, ordered by name. */
  list(): Promise<McpServer[]>;
  /** Stores a new server. @throws ConflictError if the name is in use or the maximum number is reached */
  create(server: NewMcpServer): Promise<McpServer>;
  /**
   * Changes a server in one transaction.
   * @param decide returns the new state; may run more than once
   * @throws NotFoundError, ConflictError if the name is in use
   */
  update(id: string, decide: (server: McpServer) => NewMcpServer): Promise<McpServer>;
  /** Deletes a server. @returns the deleted server @throws NotFoundError */
  delete(id: string): Promise<McpServer>;
  /** Stores a sign-in, instead of an earlier one that has not ended. @throws NotFoundError */
  beginSignIn(id: string, pending: PendingSignIn): Promise<void>;
  /** Removes the sign-in if it is the one that `belongs` accepts. @returns null if there is none */
  takeSignIn(id: string, belongs: (pending: PendingSignIn) => boolean): Promise<PendingSignIn | null>;
  /** Stores the credentials of a sign-in. @throws NotFoundError */
  connect(id: string, credentials: ToolServerCredentials): Promise<McpServer>;
  /** Deletes the credentials. @throws NotFoundError */
  disconnect(id: string): Promise<McpServer>;
}

interface McpServersOptions extends FaultLog, Partial<Clock> {
  readonly store: McpServerStore;
  readonly leases: Leases;
  readonly signals: Signals;
  /** Environment for `${MCP_...}` references and for programs. */
  readonly variables: Variables;
  readonly canRunPrograms: boolean;
}

/** How to use a server, in its words. */
export interface ServerInstructions {
  /** Name of the server, and prefix of the names of its tools. */
  readonly name: string;
  readonly text: string;
}

/** The fields of a server that an administrator changes. */
export type McpServerPatch = { readonly [Key in keyof McpServerInput]?: McpServerInput[Key] | undefined };

/**
 * The principal that configures a server. A program has the rights of this process, so only a person may add, change
 * or test one: an API key is kept in scripts and on other machines, and would allow any program to run here.
 */
interface Author {
  readonly kind: Principal['kind'];
}

/** Writes an entry of the audit log about a server. Nothing is connected or run before the entry is written. */
type Recorder<T> = (server: T) => Promise<void>;
/** The server to test: a transport, with the other fields if the server is stored. */
type TestedServer = Pick<McpServer, 'transport'> & Partial<McpServer>;
const recordNothing = async () => undefined;

/** Age at which the servers are read again, in case a signal from another process was lost; milliseconds. */
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
  /** Number of the last read that was started, and of the last one that was applied. */
  #startedReads = 0;
  #appliedRead = 0;
  #reading: Promise<void> | null = null;
  #isStale = false;
  #isClosed = false;
  /** Locked while a change is made and recorded: no read connects the changed servers before that. */
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

  /** Tools of all servers, ordered by server and name; the same object until something changes. */
  get tools(): readonly McpTool[] {
    if (this.#now() - this.#readAt >= MAX_AGE_MS) this.#reread();
    return this.#tools;
  }

  /** How to use the servers whose tools the conversations of a site may use, in the words of each server. */
  instructionsFor(siteId: string): readonly ServerInstructions[] {
    return [...this.#links.values()].flatMap(({ server, instructions }) => {
      const isFor = server.siteId === null || server.siteId === undefined || server.siteId === siteId;
      const isOffered = server.isEnabled && server.policy !== 'off' && isFor && instructions.trim() !== '';
      return isOffered ? [{ name: server.name, text: instructions }] : [];
    });
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

  /** Adds a server. @throws ConflictError, InvalidInputError, ForbiddenError; then nothing was changed */
  async create(input: McpServerInput, author: Author, record: Recorder<McpServer> = recordNothing): Promise<McpServer> {
    const transport = this.#checked(input.transport, null, author);
    const { store } = this.#options;
    return this.#change(
      () => store.create({ ...input, siteId: input.siteId ?? null, transport }),
      record,
      ({ id }) => store.delete(id),
    );
  }

  /** Changes a server. @throws NotFoundError, ConflictError, InvalidInputError, ForbiddenError; then nothing was changed */
  async update(
    id: string,
    patch: McpServerPatch,
    author: Author,
    record: Recorder<McpServer> = recordNothing,
  ): Promise<McpServer> {
    const { name, transport, policy, isEnabled, siteId } = patch;
    const { store } = this.#options;
    const credentials = await store.credentials(id);
    let previous: McpServer | undefined;
    const decide = (server: McpServer) => {
      requirePerson(author, server.transport);
      previous = server;
      return {
        name: name ?? server.name,
        transport: transport ? this.#checked(transport, server.transport, author) : server.transport,
        policy: policy ?? server.policy,
        isEnabled: isEnabled ?? server.isEnabled,
        siteId: siteId === undefined ? (server.siteId ?? null) : siteId,
      };
    };
    const updated = await this.#change(
      () => store.update(id, decide),
      record,
      async (changed) => {
        await store.update(id, () => previous ?? changed);
        if (credentials && !isAt(changed, credentials.peer)) await store.connect(id, credentials);
      },
    );
    // The store keeps tokens for one address only.
    if (credentials && !isAt(updated, credentials.peer)) await revokeTokens(credentials);
    return updated;
  }

  /** Finds a server by its id. @throws NotFoundError */
  async get(id: string): Promise<McpServer> {
    const stored = (await this.#options.store.list()).find((server) => server.id === id);
    if (!stored) throw new NotFoundError('tool server', id);
    return stored;
  }

  /** Deletes a server and disconnects it. @returns the deleted server @throws NotFoundError */
  async delete(id: string): Promise<McpServer> {
    const { store } = this.#options;
    const credentials = await store.credentials(id);
    const deleted = await this.#change(
      () => store.delete(id),
      recordNothing,
      async () => undefined,
    );
    if (credentials) await revokeTokens(credentials);
    return deleted;
  }

  /**
   * Begins a sign-in of a person to a server.
   * @param redirectUri page of ours to which the browser returns
   * @returns the page of the authorization server, and the state that the browser has to keep
   * @throws NotFoundError, InvalidInputError if the server offers no sign-in
   */
  async beginSignIn(id: string, userId: string, redirectUri: string): Promise<{ address: string; state: string }> {
    const { transport } = await this.get(id);
    if (transport.type === 'stdio') throw new InvalidInputError(serverText('tool-server-without-address'));
    const begun = await beginSignIn({ serverUrl: transport.url, redirectUri, userId, now: this.#now() });
    await this.#options.store.beginSignIn(id, begun.pending);
    return { address: begun.address, state: begun.pending.state };
  }

  /**
   * Ends a sign-in with the answer of the authorization server, and connects the server.
   * @throws NotFoundError, InvalidInputError with the reason; then nothing was changed
   */
  async finishSignIn(id: string, returned: SignInReturn, record: Recorder<McpServer>): Promise<McpServer> {
    const { store } = this.#options;
    const server = await this.get(id);
    const pending = await store.takeSignIn(id, (each) => belongsTo(each, returned));
    if (!pending || !isAt(server, pending.peer)) throw new InvalidInputError(serverText('tool-server-sign-in-unknown'));
    const credentials = await finishSignIn(pending, returned.answer);
    return this.#change(
      () => store.connect(id, credentials),
      record,
      async () => {
        await store.disconnect(id);
        await revokeTokens(credentials);
      },
    );
  }

  /** Deletes the credentials of a server, and revokes them there if it offers that. @throws NotFoundError */
  async signOut(id: string, record: Recorder<McpServer>): Promise<McpServer> {
    const { store } = this.#options;
    const credentials = await store.credentials(id);
    const server = await this.#change(
      () => store.disconnect(id),
      record,
      async () => undefined,
    );
    if (credentials) await revokeTokens(credentials);
    return server;
  }

  /**
   * Tests a server: opens a connection, lists the tools and disconnects. If that succeeds, a stored server that had failed
   * is connected. A failure of the server is part of the result.
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
      const tools = await this.#list({ ...stored, transport });
      if (id !== null) this.#links.get(id)?.retryNow();
      const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
      const { text: message, ...reason } = serverText('tool-server-answers');
      return { ok: true, latencyMs: latency(), tools: tools.length, tokens, message, reason };
    } catch (error) {
      const why = shortReason(reasonOf(error));
      const outcome = { message: why.text, reason: messageOfText(why) };
      return { ok: false, latencyMs: latency(), tools: null, tokens: null, ...outcome };
    }
  }

  /** Closes every connection, and waits for every program to end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    await this.#reading;
    for (const link of this.#links.values()) this.#end(link);
    await Promise.all(this.#endings);
  }

  async #list({ id = 'test', name = 'test', transport }: TestedServer): Promise<McpTool[]> {
    const { variables, canRunPrograms } = this.#options;
    if (transport.type === 'stdio' && !canRunPrograms) throw new ToolError(serverText('tool-programs-off'));
    const ignore = () => undefined;
    const signal = new AbortController().signal;
    const server: McpServer = { id, name, transport, policy: 'ask', isEnabled: true };
    const tokens = tokensOf(server, this.#options);
    const options = { variables, tokens, signal, onLost: ignore, onToolsChanged: ignore };
    const connection = await openConnection(transport, options);
    try {
      const definitions = await connection.list();
      const refuse = () => Promise.reject(new ToolError('Only listed.'));
      const { hasResources } = connection;
      return toTools(server, { definitions, hasResources, call: refuse, readResource: refuse });
    } catch (error) {
      throw new ToolError(connection.lost ?? connection.redact(reasonOf(error)), { cause: error });
    } finally {
      await connection.close().catch(ignore);
    }
  }

  /** @throws InvalidInputError, ForbiddenError */
  #checked(input: McpTransportInput, stored: McpTransport | null, author: Author): McpTransport {
    requirePerson(author, input);
    if (input.type === 'stdio' && !this.#options.canRunPrograms)
      throw new InvalidInputError(serverText('tool-programs-off'));
    return withStoredValues(input, stored);
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

  /** Reads the servers again in the background, one read at a time; a change during a read causes another one. */
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
    const read = (this.#startedReads += 1);
    const servers = await this.#options.store.list();
    await this.#changing.waitForUnlock();
    // A read that started earlier may finish later.
    if (this.#isClosed || read < this.#appliedRead) return;
    this.#appliedRead = read;
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

  /** The present link if the server is reached in the same way, else a new one. */
  #linkOf(server: McpServer): ServerLink {
    const present = this.#links.get(server.id);
    if (present?.applyConfiguration(server)) return present;
    const { variables, canRunPrograms } = this.#options;
    const tokens = tokensOf(server, this.#options);
    return new ServerLink(server, {
      variables,
      canRunPrograms,
      tokens,
      now: this.#now,
      onTools: () => this.#rebuild(),
    });
  }

  #end(link: ServerLink): void {
    const ending = link.close().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  #rebuild(): void {
    this.#version += 1;
    this.#tools = [...this.#links.values()].flatMap((link) =>
      link.server.isEnabled ? toTools(link.server, link) : [],
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
    const { id, name, policy, isEnabled, siteId = null } = server;
    const offered = tools.filter((tool) => tool.policy !== 'off');
    const tokens = offered.reduce((sum, tool) => sum + tool.tokens, 0);
    const { status, problem, since } = state;
    const transport = reportTransport(server.transport);
    const why = { problem: problem && problem.text, problemMessage: problem && messageOfText(problem) };
    const signIn = problem?.code === 'tool-server-sign-in' ? 'needed' : server.connectedAt ? 'connected' : 'none';
    return { id, name, transport, policy, isEnabled, siteId, status, ...why, signIn, since, tokens, tools };
  }
}

/** True if a server still has the address for which its tokens were issued. */
function isAt({ transport }: McpServer, { serverUrl }: AuthorizationPeer): boolean {
  return transport.type !== 'stdio' && transport.url === serverUrl;
}

/** The tokens for a new connection to a server; null for a program, and for a header that an administrator has set. */
function tokensOf({ id, transport }: McpServer, { store, leases }: McpServersOptions): AccessTokens | null {
  if (transport.type === 'stdio') return null;
  const hasOwn = Object.keys(transport.headers).some((name) => name.toLowerCase() === 'authorization');
  return hasOwn ? null : new AccessTokens(id, transport.url, { store, leases });
}

/** The tools of a server as models receive them. */
function toTools(server: McpServer, offer: ToolOffer): McpTool[] {
  const { definitions, hasResources } = offer;
  const own = definitions.map(({ name }) => name);
  // A server may have a tool of that name itself.
  const readsResources = hasResources && !own.includes(RESOURCE_TOOL);
  const names = modelNames(server.name, readsResources ? [...own, RESOURCE_TOOL] : own);
  const tools = definitions.map((definition) => toMcpTool(server, definition, names.get(definition.name)!, offer));
  return readsResources ? [...tools, toResourceTool(server, names.get(RESOURCE_TOOL)!, offer)] : tools;
}

/** What a server offers, and who runs it. */
interface ToolOffer extends McpCaller {
  readonly definitions: readonly McpDefinition[];
  readonly hasResources: boolean;
}

/** @throws ForbiddenError for an API key and a server that is a program */
function requirePerson({ kind }: Author, { type }: { readonly type: McpTransport['type'] }): void {
  if (kind === 'key' && type === 'stdio') {
    throw new ForbiddenError(serverText('tool-programs-by-people'));
  }
}
