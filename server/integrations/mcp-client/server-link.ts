import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import type { Clock } from '#server/core/process';
import { isDeepStrictEqual } from 'node:util';
import { SdkHttpError } from '@modelcontextprotocol/client';
import { ToolError } from '#server/core/errors';
import type { McpServer, McpServerStatus } from '#server/core/admin/mcp-servers';
import {
  type McpConnection,
  type McpDefinition,
  type McpResult,
  openConnection,
} from '#server/integrations/mcp-client/connection';
import type { AccessTokens } from '#server/integrations/mcp-client/oauth/access-tokens';
import { reasonOf, shortReason } from '#server/integrations/mcp-client/oauth/failure-reason';
import type { Variables } from '#server/integrations/mcp-client/transport-secrets';

interface ServerLinkOptions extends Clock {
  /** Environment for programs and for references in headers. */
  readonly variables: Variables;
  /** False: programs may not run. */
  readonly canRunPrograms: boolean;
  /** Tokens of a sign-in. Null or absent: for a program, and for a server with a header of its own. */
  readonly tokens?: AccessTokens | null;
  /** Called when its tools have changed. */
  readonly onTools: () => void;
}

/** State of a connection, as the settings show it. */
interface LinkState {
  readonly status: McpServerStatus;
  /** Why the connection failed, for people; null if it has not. */
  readonly problem: ServerText | null;
  /** When the status began; epoch milliseconds. */
  readonly since: number;
}

/** What a server offers besides tools. */
interface Offer {
  readonly instructions: string;
  readonly hasResources: boolean;
}

/** The delay before a retry doubles from the first to the longest; milliseconds. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** After a connection of at least this length, the delay before a retry starts again with the first; milliseconds. */
const STABLE_MS = 60_000;
/** Maximum time that a call waits for a disconnected server, milliseconds. */
const CALL_CONNECT_MS = 15_000;

/**
 * The connection to one tool server, opened in the background and reopened after a failure. Its tools stay available
 * while it is disconnected, so that requests stay the same; a call then waits for the connection for a limited time.
 */
export class ServerLink {
  /** The present configuration. */
  server: McpServer;
  /** The server's tools, ordered by name; empty until the first connection. */
  definitions: readonly McpDefinition[] = [];
  /** How to use the server, in its words; empty until the first connection. */
  instructions = '';
  /** True if it has resources that can be read. */
  hasResources = false;
  state: LinkState;
  readonly #options: ServerLinkOptions;
  readonly #ended = new AbortController();
  #connection: McpConnection | null = null;
  #connecting: Promise<McpConnection> | null = null;
  #listing: Promise<void> | null = null;
  #isListOld = false;
  #closing: Promise<void> = Promise.resolve();
  #failures = 0;
  #retry: NodeJS.Timeout | null = null;

  constructor(server: McpServer, options: ServerLinkOptions) {
    this.server = server;
    this.#options = options;
    this.state = { status: server.isEnabled ? 'connecting' : 'off', problem: null, since: options.now() };
  }

  /** Connects in the background. */
  start(): void {
    if (this.server.isEnabled) this.#connect().catch(() => undefined);
  }

  /** Retries a failed server immediately. */
  retryNow(): void {
    if (this.state.status === 'failed') this.start();
  }

  /** Applies a changed configuration, unless it needs a new connection. @returns false if it does */
  applyConfiguration(server: McpServer): boolean {
    const { transport, isEnabled, connectedAt } = this.server;
    if (server.isEnabled !== isEnabled || server.connectedAt !== connectedAt) return false;
    if (!isDeepStrictEqual(server.transport, transport)) return false;
    this.server = server;
    return true;
  }

  /**
   * Runs a tool. Waits for a disconnected server, for a limited time.
   * @throws ToolError if the server cannot be reached, refuses the call, or breaks off during it
   */
  call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<McpResult> {
    return this.#request((connection) => connection.call(tool, input, signal), signal);
  }

  /** Reads a resource, as `call` runs a tool. */
  readResource(uri: string, signal: AbortSignal): Promise<McpResult> {
    return this.#request((connection) => connection.readResource(uri, signal), signal);
  }

  async #request(send: (connection: McpConnection) => Promise<McpResult>, signal: AbortSignal): Promise<McpResult> {
    const { name } = this.server;
    for (let attempt = 0; ; attempt += 1) {
      const connection = await this.#connected(signal);
      try {
        const result = await send(connection);
        this.#failures = 0;
        return result;
      } catch (error) {
        if (signal.aborted) throw error;
        if (isForgotten(error) && attempt === 0) {
          // The call did not run: the server has lost our session, for example after a restart.
          this.#lose(connection, serverText('tool-server-forgot-session'));
        } else if (connection.lost !== null) {
          this.#lose(connection);
          throw new ToolError(
            `The tool server "${name}" broke off during the call. ${connection.lost.text} Whether it was done is not known: check before repeating it. It is being connected again.`,
            { cause: error },
          );
        } else if (connection !== this.#connection) {
          // The connection was replaced because its configuration changed or another call found it broken.
          throw new ToolError(
            `The tool server "${name}" was disconnected during the call. Whether it was done is not known: check before repeating it.`,
            { cause: error },
          );
        } else {
          throw new ToolError(`The tool server "${name}" answered: ${connection.redact(reasonOf(error)).text}`, {
            cause: error,
          });
        }
      }
    }
  }

  /** Closes the connection permanently; waits for a program to end. */
  async close(): Promise<void> {
    this.#ended.abort(new ToolError('The tool server was disconnected.'));
    if (this.#retry) clearTimeout(this.#retry);
    await this.#connecting?.catch(() => undefined);
    const connection = this.#connection;
    this.#connection = null;
    await connection?.close().catch(() => undefined);
    await this.#closing;
  }

  async #connected(signal: AbortSignal): Promise<McpConnection> {
    if (this.#connection && this.#connection.lost === null) return this.#connection;
    const { name } = this.server;
    const timeout = new Promise<never>((_, reject) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(CALL_CONNECT_MS)]);
      limit.addEventListener('abort', () => reject(new ToolError(serverText('tool-server-late'))), { once: true });
    });
    try {
      return await Promise.race([this.#connect(), timeout]);
    } catch (error) {
      throw new ToolError(`The tool server "${name}" cannot be reached now. ${reasonOf(error).text}`, { cause: error });
    }
  }

  /** Connects without delay; one attempt at a time. */
  #connect(): Promise<McpConnection> {
    if (this.#retry) clearTimeout(this.#retry);
    this.#connecting ??= this.#open().finally(() => (this.#connecting = null));
    return this.#connecting;
  }

  async #open(): Promise<McpConnection> {
    const { variables, canRunPrograms, tokens } = this.#options;
    const { transport } = this.server;
    const { signal } = this.#ended;
    try {
      signal.throwIfAborted();
      this.#isListOld = false;
      if (transport.type === 'stdio' && !canRunPrograms) throw new ToolError(serverText('tool-programs-off'));
      const connection = await openConnection(transport, {
        variables,
        ...(tokens && { tokens }),
        signal,
        onLost: () => this.#lose(this.#connection),
        onToolsChanged: () => this.#relist(),
      });
      try {
        const { instructions, hasResources } = connection;
        this.#setDefinitions(await connection.list(), { instructions, hasResources });
        signal.throwIfAborted();
        if (connection.lost !== null) throw new ToolError(connection.lost);
      } catch (error) {
        await connection.close().catch(() => undefined);
        throw new ToolError(connection.lost ?? connection.redact(reasonOf(error)), { cause: error });
      }
      this.#connection = connection;
      this.#setState('ready', null);
      if (this.#isListOld) this.#relist();
      return connection;
    } catch (error) {
      this.#fail(reasonOf(error));
      throw error;
    }
  }

  /** Lists the tools again in the background, one listing at a time; a change during a listing causes another one. */
  #relist(): void {
    const connection = this.#connection;
    // The first list is not complete yet, or was read before the change.
    this.#isListOld = connection === null || this.#listing !== null;
    if (connection === null) return;
    this.#listing ??= connection
      .list()
      .then(
        (definitions) => this.#setDefinitions(definitions),
        (error: unknown) => this.#lose(connection, connection.redact(reasonOf(error))),
      )
      .finally(() => {
        this.#listing = null;
        if (this.#isListOld) this.#relist();
      });
  }

  /** Stores the tools, sorted by name, so that requests stay the same if a server changes their order. */
  #setDefinitions(definitions: readonly McpDefinition[], { instructions, hasResources }: Offer = this): void {
    const ordered = definitions.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    this.instructions = instructions;
    if (isDeepStrictEqual(ordered, this.definitions) && hasResources === this.hasResources) return;
    this.definitions = ordered;
    this.hasResources = hasResources;
    this.#options.onTools();
  }

  #lose(connection: McpConnection | null, why = serverText('tool-server-failed')): void {
    if (!connection || connection !== this.#connection) return;
    this.#connection = null;
    if (this.#options.now() - this.state.since >= STABLE_MS) this.#failures = 0;
    this.#closing = connection.close().catch(() => undefined);
    this.#fail(connection.lost ?? why);
  }

  #fail(problem: ServerText): void {
    this.#setState('failed', shortReason(problem));
    // Without a person who signs in, another attempt fails, too. After a sign-in the server gets a new link.
    if (this.#ended.signal.aborted || problem.code === 'tool-server-sign-in') return;
    const wait = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS);
    this.#failures += 1;
    this.#retry = setTimeout(() => this.start(), wait);
    this.#retry.unref();
  }

  #setState(status: McpServerStatus, problem: ServerText | null): void {
    this.state = { status, problem, since: this.#options.now() };
  }
}

/** True if the server does not know our session: 404, or on some servers 400 with a corresponding message. */
function isForgotten(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { message } = error;
  const status = error instanceof SdkHttpError ? error.status : Number(/\(HTTP (\d+)\)/.exec(message)?.[1]);
  return status === 404 || (status === 400 && /session/i.test(message)) || /No valid session ID/i.test(message);
}
