import { type CallToolResult, createMCPClient, type ListToolsResult } from '@ai-sdk/mcp';
import { InvalidInputError, ToolError } from '#server/core/errors';
import type { McpTransport } from '#server/core/mcp-servers';
import { visibleText } from '#server/core/visible-text';
import { fillTransport, type Variables } from '#server/mcp/environment';
import { StdioTransport } from '#server/mcp/stdio-transport';
import { atMost, createOutgoingFetch } from '#server/outgoing/outgoing-fetch';

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

/** What is learned from the responses of a tool server beside what they answer. */
export interface ResponseListener {
  /** Its list of tools is another one. */
  onToolsChanged(this: void): void;
  /** It cannot be reached, or a response of its own accord (`ended`) or not broke off. */
  onBroken(this: void, method: string, how: 'refused' | 'broken' | 'ended'): void;
}

/** Of one message, as it is read: an answer, or an event of a stream that goes on for days. Bytes. */
const MAX_MESSAGE = 32_000_000;
const TOOLS_CHANGED = 'notifications/tools/list_changed';

const fetchConfigured = createOutgoingFetch({ allowed: 'configured', redirects: 3 });

/** `fetch` for one tool server. The client takes no notifications, so they are looked for here. */
export function watchedFetch({ onToolsChanged, onBroken }: ResponseListener): typeof fetch {
  return async (input, init = {}) => {
    const method = init.method ?? 'GET';
    const response = await fetchConfigured(input, init).catch((error: unknown) => {
      if (!init.signal?.aborted && !(error instanceof InvalidInputError)) onBroken(method, 'refused');
      throw error;
    });
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const isStream = headers.get('content-type')?.includes('text/event-stream');
    const watched = isStream ? watchStream(response.body) : response.body.pipeThrough(atMost(MAX_MESSAGE));
    return new Response(watched, { status, statusText, headers });

    function watchStream(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
      const reader = body.getReader();
      const decoder = new TextDecoder();
      const grow = sizeOfEvent();
      let tail = '';
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          try {
            const { done, value } = await reader.read();
            if (!done) grow(value);
            if (done) {
              controller.close();
              if (!init.signal?.aborted) onBroken(method, 'ended');
              return;
            }
            const text = tail + decoder.decode(value, { stream: true });
            if (text.includes(TOOLS_CHANGED)) onToolsChanged();
            tail = text.slice(text.lastIndexOf('\n') + 1).slice(-TOOLS_CHANGED.length);
            if (tail.includes(TOOLS_CHANGED)) tail = '';
            controller.enqueue(value);
          } catch (error) {
            controller.error(error);
            void reader.cancel(error).catch(() => undefined);
            if (!init.signal?.aborted) onBroken(method, 'broken');
          }
        },
        cancel: (reason) => reader.cancel(reason),
      });
    }
  };
}

/** Counts the bytes of one event. @returns takes the next ones in, and throws InvalidInputError where they are too many */
function sizeOfEvent(): (bytes: Uint8Array) => void {
  let size = 0;
  let isLineEmpty = false;
  return (bytes) => {
    size += bytes.length;
    for (const [index, byte] of bytes.entries()) {
      // An event ends with an empty line.
      if (byte === LINE_FEED && isLineEmpty) size = bytes.length - index - 1;
      if (byte !== CARRIAGE_RETURN) isLineEmpty = byte === LINE_FEED;
    }
    if (size > MAX_MESSAGE) {
      throw new InvalidInputError(`The answer is above ${MAX_MESSAGE.toLocaleString('en-US')} bytes.`);
    }
  };
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
