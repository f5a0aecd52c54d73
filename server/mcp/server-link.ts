import { isDeepStrictEqual } from 'node:util';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolError } from '#server/core/errors';
import type { McpServer, McpServerStatus } from '#server/core/mcp-servers';
import {
  type McpConnection,
  type McpDefinition,
  type McpResult,
  openConnection,
  reasonOf,
  shortReason,
} from '#server/mcp/connection';
import type { Variables } from '#server/mcp/environment';

export interface ServerLinkOptions {
  readonly variables: Variables;
  /** False: programs are not run. */
  readonly canRunPrograms: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called when its tools have changed. */
  readonly onTools: () => void;
}

export interface LinkState {
  readonly status: McpServerStatus;
  readonly problem: string | null;
  readonly since: number;
}

/** First wait before a retry, doubled each time up to the longest; milliseconds. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** A server connected for this long is retried at once, milliseconds. */
const STABLE_MS = 60_000;
/** Longest wait of a call for a disconnected server, milliseconds. */
const CALL_CONNECT_MS = 15_000;

/**
 * The connection to one tool server, opened in the background and again after a failure. Its tools stay offered while
 * it is disconnected, so that requests stay the same; a call then waits for it for a while.
 */
export class ServerLink {
  server: McpServer;
  definitions: readonly McpDefinition[] = [];
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

  /** Retries a failed server at once. */
  retryNow(): void {
    if (this.state.status === 'failed') this.start();
  }

  /** Takes over a changed configuration; false if it needs a new connection. */
  takes(server: McpServer): boolean {
    const { transport, isEnabled } = this.server;
    if (server.isEnabled !== isEnabled || !isDeepStrictEqual(server.transport, transport)) return false;
    this.server = server;
    return true;
  }

  /**
   * Runs a tool; waits for a disconnected server.
   * @throws ToolError if the server cannot be reached, refuses the call, or breaks off during it
   */
  async call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<McpResult> {
    const { name } = this.server;
    for (let attempt = 0; ; attempt += 1) {
      const connection = await this.#connected(signal);
      try {
        const result = await connection.call(tool, input, signal);
        this.#failures = 0;
        return result;
      } catch (error) {
        if (signal.aborted) throw error;
        if (isForgotten(error) && attempt === 0) {
          // The call did not run: the server has lost our session, as after a restart.
          this.#lose(connection, 'The server has forgotten the session.');
        } else if (connection.lost !== null) {
          this.#lose(connection);
          throw new ToolError(
            `The tool server "${name}" broke off during the call. ${connection.lost} Whether it was done is not known: check before repeating it. It is being connected again.`,
            { cause: error },
          );
        } else if (connection !== this.#connection) {
          // The connection was replaced: its configuration changed, or another call found it broken.
          throw new ToolError(
            `The tool server "${name}" was disconnected during the call. Whether it was done is not known: check before repeating it.`,
            { cause: error },
          );
        } else {
          throw new ToolError(`The tool server "${name}" answered: ${connection.redact(reasonOf(error))}`, {
            cause: error,
          });
        }
      }
    }
  }

  /** Closes the connection for good; waits for the end of a program. */
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
    const away = new Promise<never>((_, reject) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(CALL_CONNECT_MS)]);
      limit.addEventListener('abort', () => reject(new ToolError('It does not answer.')), { once: true });
    });
    try {
      return await Promise.race([this.#connect(), away]);
    } catch (error) {
      throw new ToolError(`The tool server "${name}" cannot be reached now. ${reasonOf(error)}`, { cause: error });
    }
  }

  /** Connects at once; one attempt at a time. */
  #connect(): Promise<McpConnection> {
    if (this.#retry) clearTimeout(this.#retry);
    this.#connecting ??= this.#open().finally(() => (this.#connecting = null));
    return this.#connecting;
  }

  async #open(): Promise<McpConnection> {
    const { variables, canRunPrograms } = this.#options;
    const { transport } = this.server;
    const { signal } = this.#ended;
    try {
      signal.throwIfAborted();
      this.#isListOld = false;
      if (transport.type === 'stdio' && !canRunPrograms) throw new ToolError(PROGRAMS_ARE_OFF);
      const connection = await openConnection(transport, {
        variables,
        signal,
        onLost: () => this.#lose(this.#connection),
        onToolsChanged: () => this.#relist(),
      });
      try {
        this.#take(await connection.list());
        signal.throwIfAborted();
        if (connection.lost !== null) throw new ToolError(connection.lost);
      } catch (error) {
        await connection.close().catch(() => undefined);
        throw new ToolError(connection.lost ?? connection.redact(reasonOf(error)), { cause: error });
      }
      this.#connection = connection;
      this.#enter('ready', null);
      if (this.#isListOld) this.#relist();
      return connection;
    } catch (error) {
      this.#fail(reasonOf(error));
      throw error;
    }
  }

  /** Lists the tools again in the background, one listing at a time; a change during one is read afterwards. */
  #relist(): void {
    const connection = this.#connection;
    // The first list is not complete yet, or was made before the change.
    this.#isListOld = connection === null || this.#listing !== null;
    if (connection === null) return;
    this.#listing ??= connection
      .list()
      .then(
        (definitions) => this.#take(definitions),
        (error: unknown) => this.#lose(connection, connection.redact(reasonOf(error))),
      )
      .finally(() => {
        this.#listing = null;
        if (this.#isListOld) this.#relist();
      });
  }

  /** Sorts the tools by name, so that requests stay the same if a server changes the order. */
  #take(definitions: readonly McpDefinition[]): void {
    const ordered = definitions.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    if (isDeepStrictEqual(ordered, this.definitions)) return;
    this.definitions = ordered;
    this.#options.onTools();
  }

  #lose(connection: McpConnection | null, why = ''): void {
    if (!connection || connection !== this.#connection) return;
    this.#connection = null;
    if (this.#options.now() - this.state.since >= STABLE_MS) this.#failures = 0;
    this.#closing = connection.close().catch(() => undefined);
    this.#fail(connection.lost ?? why);
  }

  #fail(problem: string): void {
    this.#enter('failed', shortReason(problem));
    if (this.#ended.signal.aborted) return;
    const wait = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS);
    this.#failures += 1;
    this.#retry = setTimeout(() => this.start(), wait);
    this.#retry.unref();
  }

  #enter(status: McpServerStatus, problem: string | null): void {
    this.state = { status, problem, since: this.#options.now() };
  }
}

/** Error for a local program while programs are disabled. */
export const PROGRAMS_ARE_OFF =
  'Local programs are disabled as tool servers. An operator can allow them with MCP_STDIO=on.';

/** True if the server does not know our session: 404, or on some servers 400 with words that say so. */
function isForgotten(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { message } = error;
  const status = error instanceof StreamableHTTPError ? error.code : Number(/\(HTTP (\d+)\)/.exec(message)?.[1]);
  return status === 404 || (status === 400 && /session/i.test(message)) || /No valid session ID/i.test(message);
}
