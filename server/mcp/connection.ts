import { type CallToolResult, createMCPClient, type ListToolsResult } from '@ai-sdk/mcp';
import { ToolError } from '#server/core/errors';
import type { McpTransport } from '#server/core/mcp-servers';
import { visibleText } from '#server/core/visible-text';
import { fillTransport, type Variables } from '#server/mcp/environment';
import { watchedFetch } from '#server/mcp/watched-fetch';
import { StdioTransport } from '#server/mcp/stdio-transport';

/** A tool as its server lists it. */
export type McpDefinition = ListToolsResult['tools'][number];

/** An open connection to one tool server. */
export interface McpConnection {
  /** Why nothing can be asked of it any more, for a person; null while it stands. */
  readonly lost: string | null;
  /** Every page of its tools. */
  list(): Promise<readonly McpDefinition[]>;
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
  /** Takes secrets out of what a person or a model reads. */
  redact(text: string): string;
  /** Ends a program, and waits for its end. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly variables: Variables;
  /** Gives up connecting, and listing. */
  readonly signal: AbortSignal;
  /** Once, unless it was closed. */
  readonly onLost: () => void;
  readonly onToolsChanged: () => void;
}

/** A program that is fetched first takes its time; milliseconds. */
const CONNECT_TIMEOUT_MS = 30_000;
/** All pages together. */
const LIST_TIMEOUT_MS = 30_000;
const MAX_PAGES = 50;
/** More than any model could choose from. */
const MAX_TOOLS = 1_000;

/** Connects and says hello. @throws ToolError, or what the client throws; nothing is left running */
export async function openConnection(transport: McpTransport, options: ConnectionOptions): Promise<McpConnection> {
  const { variables, signal, onLost, onToolsChanged } = options;
  const filled = fillTransport(transport, variables);
  let lost: string | null = null;
  let isClosed = false;

  const lose = (why: string) => {
    if (lost !== null || isClosed) return;
    lost = why;
    // Before it stands, whoever waits for it hears of it.
    if (client) onLost();
    // What still waits for an answer hears of it.
    void client?.close();
  };
  const { target, stdio } = prepare(filled.transport, variables, {
    lose,
    onToolsChanged,
    isOpen: () => lost === null && !isClosed,
  });
  let client: Awaited<ReturnType<typeof createMCPClient>> | null = null;
  try {
    client = await createMCPClient({
      transport: target,
      clientName: 'throughline',
      initializationOptions: { timeout: CONNECT_TIMEOUT_MS, signal },
      // Notifications arrive here, and what is heard of otherwise.
      onUncaughtError: () => undefined,
    });
  } catch (error) {
    isClosed = true;
    await stdio?.close();
    const why = stdio?.died ?? reasonOf(error);
    throw new ToolError(filled.redact(why), { cause: error });
  }
  const connected = client;
  return {
    get lost() {
      return lost === null ? null : filled.redact(lost);
    },
    redact: filled.redact,
    list: () => listTools(connected, AbortSignal.any([signal, AbortSignal.timeout(LIST_TIMEOUT_MS)])),
    call: async (name, input, callSignal) =>
      filled.redactAnswer(await connected.callTool({ name, arguments: input, options: { signal: callSignal } })),
    async close() {
      isClosed = true;
      await connected.close();
      await stdio?.close();
    },
  };
}

type Client = Awaited<ReturnType<typeof createMCPClient>>;

async function listTools(client: Client, signal: AbortSignal): Promise<McpDefinition[]> {
  const tools: McpDefinition[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page += 1) {
    const options = { signal };
    const { tools: some, nextCursor } = await client.listTools({ options, ...(cursor && { params: { cursor } }) });
    tools.push(...some);
    cursor = nextCursor;
    if (!cursor) break;
  }
  return tools.slice(0, MAX_TOOLS);
}

interface TransportListener {
  readonly lose: (why: string) => void;
  readonly onToolsChanged: () => void;
  readonly isOpen: () => boolean;
}

/** What the client is to speak through, and who is told of what it does not say itself. */
function prepare(
  transport: McpTransport,
  variables: Variables,
  listener: TransportListener,
): { target: Parameters<typeof createMCPClient>[0]['transport']; stdio: StdioTransport | null } {
  const { lose, onToolsChanged, isOpen } = listener;
  if (transport.type === 'stdio') {
    const stdio = new StdioTransport(transport, variables, { onToolsChanged, onDeath: lose });
    return { target: stdio, stdio };
  }
  const { type, url, headers } = transport;
  const onBroken = (method: string, how: 'refused' | 'broken' | 'ended') => {
    if (!isOpen()) return;
    // Answers come with the GET of the older protocol; with that of the newer one only notifications do, and a server
    // may close it at any time: whether it still lives, its list of tools shows.
    if (method === 'GET' && type === 'http') {
      if (how !== 'ended') onToolsChanged();
    } else if (method === 'GET' || how !== 'ended') {
      lose(how === 'refused' ? `Nothing answers at ${new URL(url).origin}.` : 'The server broke off the connection.');
    }
  };
  return { target: { type, url, headers, fetch: watchedFetch({ onToolsChanged, onBroken }) }, stdio: null };
}

/** What went wrong, for a person: `fetch failed` alone says nothing. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'It failed for an unknown reason.';
  const cause = error.cause instanceof Error ? error.cause : null;
  if (cause?.name === 'TimeoutError') return 'It did not answer in time.';
  if (error.message !== 'fetch failed' || !cause) return error.message;
  return `Nothing answers there (${(cause as NodeJS.ErrnoException).code ?? cause.message}).`;
}

/** Some servers answer with a whole page. Characters. */
const MAX_PROBLEM_CHARS = 1_000;

/** What went wrong, as it is shown and kept; its secrets are taken out before. */
export function shortReason(reason: string): string {
  return visibleText(reason).slice(0, MAX_PROBLEM_CHARS).toWellFormed();
}
