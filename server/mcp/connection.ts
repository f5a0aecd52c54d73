import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { orAborted, within } from '#server/core/async';
import { InvalidInputError, ToolError } from '#server/core/errors';
import type { McpTransport } from '#server/core/mcp-servers';
import { shorten } from '#server/core/short-text';
import { visibleText } from '#server/core/visible-text';
import { fillTransport, type Variables } from '#server/mcp/environment';
import { StdioTransport } from '#server/mcp/stdio-transport';
import { atMost, createOutgoingFetch } from '#server/outgoing/outgoing-fetch';
import { whyUnreachable } from '#server/outgoing/unreachable';

/**
 * Only what is read of a definition is checked: one odd tool must not hide the others. Some servers write null for what
 * they do not set.
 */
const definitionSchema = z.looseObject({
  name: z.string(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.looseObject({ readOnlyHint: z.boolean().nullish(), destructiveHint: z.boolean().nullish() }).nullish(),
});
const toolPageSchema = z.looseObject({ tools: z.array(definitionSchema), nextCursor: z.string().nullish() });

/** A tool as its server lists it. */
export type McpDefinition = z.infer<typeof definitionSchema>;
/** The result of a call as its server sent it. */
export type McpResult = z.infer<typeof ResultSchema>;

/** An open connection to one tool server. */
export interface McpConnection {
  /** Reason for which the connection was lost, for a person; null while it is open. */
  readonly lost: string | null;
  /** Lists all pages of its tools. */
  list(): Promise<readonly McpDefinition[]>;
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<McpResult>;
  /** Removes secrets from a text for a person or a model. */
  redact(text: string): string;
  /** Closes the connection; a program is ended and waited for. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly variables: Variables;
  /** Aborts connecting and listing. */
  readonly signal: AbortSignal;
  /** Called once when the connection is lost, unless it was closed. */
  readonly onLost: () => void;
  readonly onToolsChanged: () => void;
}

/** Milliseconds; a program may have to be downloaded first. */
const CONNECT_TIMEOUT_MS = 30_000;
/** The SDK ends every request after a minute by itself: here whoever calls decides. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** Limit for all pages together, milliseconds. */
const LIST_TIMEOUT_MS = 30_000;
const END_SESSION_MS = 1_000;
const MAX_PAGES = 50;
/** Tools taken from one server. */
const MAX_TOOLS = 1_000;

/** Connects and initializes. @throws ToolError; nothing is left running then */
export async function openConnection(transport: McpTransport, options: ConnectionOptions): Promise<McpConnection> {
  const { variables, signal, onLost, onToolsChanged } = options;
  const filled = fillTransport(transport, variables);
  let lost: string | null = null;
  let isClosed = false;

  let isConnected = false;
  /** Ends an attempt to connect that was lost: the SDK may say no more then than that it was closed, or nothing at all. */
  const attempt = new AbortController();
  const client = new Client({ name: 'throughline', version: '1' });
  client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged);

  const lose = (why: string) => {
    if (lost !== null || isClosed) return;
    lost = why;
    if (isConnected) onLost();
    else attempt.abort(new ToolError(why));
    // Rejects the requests that still wait for an answer.
    void client.close();
  };
  const { target, stdio } = prepare(filled.transport, variables, {
    lose,
    onToolsChanged,
    isOpen: () => lost === null && !isClosed,
  });
  try {
    // In the older protocol a server first says where to write to, for which the SDK waits without a limit.
    const limit = AbortSignal.any([signal, attempt.signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
    limit.throwIfAborted();
    await orAborted(client.connect(target, { timeout: CONNECT_TIMEOUT_MS, signal }), limit);
    isConnected = true;
  } catch (error) {
    isClosed = true;
    await target.close();
    const why = stdio?.died ?? reasonOf(error);
    throw new ToolError(filled.redact(why), { cause: error });
  }
  return {
    get lost() {
      return lost === null ? null : filled.redact(lost);
    },
    redact: filled.redact,
    list: () => listTools(client, AbortSignal.any([signal, AbortSignal.timeout(LIST_TIMEOUT_MS)])),
    async call(name, input, callSignal) {
      const request = { method: 'tools/call', params: { name, arguments: input } } as const;
      const limits = { signal: callSignal, timeout: NO_TIMEOUT_MS };
      return filled.redactAnswer(await client.request(request, ResultSchema, limits));
    },
    async close() {
      isClosed = true;
      if (target instanceof StreamableHTTPClientTransport && lost === null) await endSession(target);
      await client.close();
      await stdio?.close();
    },
  };
}

/** Tells a server that its session is over, so that it need not keep it. */
async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  const ended = transport.terminateSession().catch(() => undefined);
  await within(END_SESSION_MS, ended);
}

async function listTools(client: Client, signal: AbortSignal): Promise<McpDefinition[]> {
  const tools: McpDefinition[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page += 1) {
    const request = { method: 'tools/list', params: { ...(cursor && { cursor }) } } as const;
    const options = { signal, timeout: NO_TIMEOUT_MS };
    const { tools: some, nextCursor } = await client.request(request, toolPageSchema, options);
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

/** The transport for the client, watched for lost connections. */
function prepare(
  transport: McpTransport,
  variables: Variables,
  listener: TransportListener,
): { target: Transport; stdio: StdioTransport | null } {
  const { lose, onToolsChanged, isOpen } = listener;
  if (transport.type === 'stdio') {
    const stdio = new StdioTransport(transport, variables, lose);
    return { target: stdio, stdio };
  }
  const { type, url, headers } = transport;
  const onBroken: OnBroken = (method, how, error) => {
    if (!isOpen()) return;
    // In the newer protocol the GET stream has notifications only, and a server may close it at any time: listing the
    // tools shows whether it is still there. In the older one it has the answers.
    if (method === 'GET' && type === 'http') {
      if (how !== 'ended') onToolsChanged();
    } else if (method === 'GET' || how !== 'ended') {
      const { host } = new URL(url);
      lose(how === 'refused' ? whyUnreachable(error, host).message : 'The server broke off the connection.');
    }
  };
  const address = new URL(url);
  const reach = { fetch: watchedFetch(onBroken), requestInit: { headers } };
  if (type === 'http') return { target: new StreamableHTTPClientTransport(address, reach), stdio: null };
  // Servers with the older transport exist.
  // oxlint-disable-next-line typescript/no-deprecated
  return { target: new SSEClientTransport(address, reach), stdio: null };
}

/** Prefixes that the SDK adds to errors of a server. */
const SDK_PREFIX = /^(?:MCP error -?\d+: |Streamable HTTP error: )/;

/** Reason of a failure, for a person: `fetch failed` alone says nothing. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'It failed for an unknown reason.';
  const cause = error.cause instanceof Error ? error.cause : null;
  if ([error, cause].some((each) => each?.name === 'TimeoutError')) return 'It did not answer in time.';
  if (error.message !== 'fetch failed' || !cause) return error.message.replace(SDK_PREFIX, '');
  return `Nothing answers there (${(cause as NodeJS.ErrnoException).code ?? cause.message}).`;
}

/** Longest stored reason, characters: some servers answer with a whole page. */
const MAX_PROBLEM_CHARS = 1_000;

/** A reason as shown and stored. Secrets must have been removed. */
export function shortReason(reason: string): string {
  return shorten(visibleText(reason), MAX_PROBLEM_CHARS);
}

/** Called when a server cannot be reached and why, or a response broke off or `ended` of its own accord. */
type OnBroken = (method: string, how: 'refused' | 'broken' | 'ended', error?: unknown) => void;

/** Largest answer, or event of a stream, that is read; bytes. */
const MAX_MESSAGE = 32_000_000;

const fetchConfigured = createOutgoingFetch({ allowed: 'configured', redirects: 3 });

/** `fetch` for one tool server, with a limit to the size of a message. */
export function watchedFetch(onBroken: OnBroken): typeof fetch {
  return async (input, init = {}) => {
    const method = init.method ?? 'GET';
    const response = await fetchConfigured(input, init).catch((error: unknown) => {
      if (!init.signal?.aborted && !(error instanceof InvalidInputError)) onBroken(method, 'refused', error);
      throw error;
    });
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const isStream = headers.get('content-type')?.includes('text/event-stream');
    const watched = isStream ? watchStream(response.body) : response.body.pipeThrough(atMost(MAX_MESSAGE));
    return new Response(watched, { status, statusText, headers });

    function watchStream(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
      const reader = body.getReader();
      const grow = sizeOfEvent();
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

/** Counts the bytes of each event of a stream. The returned function throws InvalidInputError if one is too large. */
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
