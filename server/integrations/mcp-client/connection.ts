import type { AccessTokens } from '#server/integrations/mcp-client/oauth/access-tokens';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { reasonOf } from '#server/integrations/mcp-client/oauth/failure-reason';
import { type OnBroken, watchedFetch } from '#server/integrations/mcp-client/watched-fetch';
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { orAborted, within } from '#server/core/async';
import { InvalidInputError, ToolError } from '#server/core/errors';
import type { McpTransport } from '#server/core/admin/mcp-servers';
import { fillTransport, type Variables } from '#server/integrations/mcp-client/transport-secrets';
import { StdioTransport } from '#server/integrations/mcp-client/stdio-transport';
import { whyUnreachable } from '#server/platform/outgoing/unreachable';

/**
 * A hint of a tool (`annotations`). Only the fields of a definition that we read are checked, and tolerantly: one unusual
 * tool must not hide the others. Some servers write null for unset fields, or texts for booleans.
 */
const hintSchema = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
  .nullish()
  .catch(undefined);
const definitionSchema = z.looseObject({
  name: z.string().min(1),
  title: z.string().nullish().catch(undefined),
  description: z.string().nullish().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()).catch({}),
  annotations: z.looseObject({ readOnlyHint: hintSchema, destructiveHint: hintSchema }).nullish().catch(undefined),
});
const toolPageSchema = z.looseObject({
  tools: z.array(z.unknown()).nullish(),
  nextCursor: z.string().nullish().catch(undefined),
});

/** A response to `initialize`. The SDK refuses it without fields that nothing here reads. */
const initializedSchema = z.looseObject({
  result: z.looseObject({ protocolVersion: z.string() }),
});
const serverInfoSchema = z.looseObject({ name: z.string(), version: z.string() });

/** Completes the `initialize` response of a server that omits its name or its capabilities. */
function completeInitialization(message: unknown): void {
  if (!initializedSchema.safeParse(message).success) return;
  const { result } = message as { result: Record<string, unknown> };
  if (!serverInfoSchema.safeParse(result['serverInfo']).success) result['serverInfo'] = { name: '', version: '' };
  if (typeof result['capabilities'] !== 'object' || result['capabilities'] === null)
    result['capabilities'] = { tools: {} };
}

/** A tool as its server lists it. */
export type McpDefinition = z.infer<typeof definitionSchema>;
/** The result of a call as its server sent it. */
export type McpResult = z.infer<typeof resultSchema>;
const resultSchema = z.looseObject({});

/** An open connection to one tool server. */
export interface McpConnection {
  /** Why the connection was lost, for people; null while it is open. */
  readonly lost: ServerText | null;
  /** How to use the server, in its words; empty if it says nothing. */
  readonly instructions: string;
  /** True if it has resources that can be read. */
  readonly hasResources: boolean;
  /** Lists the server's tools, all pages. @throws the error of the request */
  list(): Promise<readonly McpDefinition[]>;
  /** Runs a tool. @param name as the server lists it @throws the error of the request */
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<McpResult>;
  /** Reads a resource. @returns its `contents` @throws the error of the request */
  readResource(uri: string, signal: AbortSignal): Promise<McpResult>;
  /** Removes secrets from a text that a person or a model will read. */
  redact(text: ServerText): ServerText;
  /** Closes the connection; a program is terminated, and its end awaited. */
  close(): Promise<void>;
}

interface ConnectionOptions {
  /** Environment for programs and for references in headers. */
  readonly variables: Variables;
  /** Tokens of a sign-in. Null or absent: for a program, and for a server with a header of its own. */
  readonly tokens?: AccessTokens | null;
  /** Aborts connecting and listing. */
  readonly signal: AbortSignal;
  /** Called once when the connection is lost, unless it was closed. */
  readonly onLost: () => void;
  /** Called when the server reports, or may have, other tools. */
  readonly onToolsChanged: () => void;
}

/** Maximum time to connect, all attempts together: a program may have to be downloaded first (npx). Milliseconds. */
const CONNECT_TIMEOUT_MS = 30_000;
/** By default the SDK ends every request after a minute; here the caller's signal decides. The longest timer of Node.js. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** Maximum wait for the answer to the first question about revisions; milliseconds. Servers that know it answer at once. */
const PROBE_TIMEOUT_MS = 5_000;
/** Maximum wait for each answer while a server of the newest revisions is connected; milliseconds. */
const NEGOTIATED_TIMEOUT_MS = 10_000;
/** Maximum time to list the tools, all pages together; milliseconds. */
const LIST_TIMEOUT_MS = 30_000;
/** Maximum wait for the end of a session when the connection is closed; milliseconds. */
const END_SESSION_MS = 1_000;
/** Maximum pages of a list of tools. */
const MAX_PAGES = 50;
/** Maximum number of tools from one server. */
const MAX_TOOLS = 1_000;

/**
 * Connects to a tool server, in the newest revision of the protocol that both know. Programs are only asked for the
 * revisions that begin with `initialize`: some end at any other first request.
 * @throws ToolError; then no program is left running
 */
export async function openConnection(transport: McpTransport, options: ConnectionOptions): Promise<McpConnection> {
  const deadline = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  if (transport.type !== 'http') return open(transport, options, 'legacy', deadline);
  try {
    return await open(transport, options, 'auto', deadline);
  } catch (error) {
    options.signal.throwIfAborted();
    // An address that is not followed stays one, and a second attempt needs the same sign-in.
    if (deadline.aborted || isRefusedAddress(error) || needsSignIn(error)) throw error;
    // Some servers answer a request before `initialize` with an error of their own, not at all, or by closing the
    // connection. If this attempt fails, too, its reason is the server's own.
    return open(transport, options, 'legacy', deadline);
  }
}

/** True if a person has to sign in to the server. */
function needsSignIn(error: unknown): boolean {
  return error instanceof ToolError && error.text.code === 'tool-server-sign-in';
}

/** True if a request was not sent, or its answer not read, because of our own rules. */
function isRefusedAddress(error: unknown): boolean {
  return error instanceof InvalidInputError || (error instanceof Error && isRefusedAddress(error.cause));
}

async function open(
  transport: McpTransport,
  options: ConnectionOptions,
  mode: VersionNegotiationMode,
  deadline: AbortSignal,
): Promise<McpConnection> {
  const { variables, tokens, signal, onLost, onToolsChanged } = options;
  const filled = fillTransport(transport, variables, () => tokens?.issued ?? []);
  let lost: ServerText | null = null;
  let isClosed = false;

  let isConnected = false;
  /**
   * Aborts the connection attempt if the connection is lost: the SDK then only reports that it was closed, or nothing
   * at all.
   */
  const attempt = new AbortController();
  const client = new Client(
    { name: 'throughline', version: '1' },
    {
      versionNegotiation: { mode, probe: { timeoutMs: PROBE_TIMEOUT_MS } },
      // Since 2026-07-28 a client has to ask for these notices.
      ...(mode === 'auto' && {
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
      }),
    },
  );
  // Servers of older revisions may send them without saying so before.
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
  let listed: readonly McpDefinition[] = [];

  const lose = (why: ServerText) => {
    if (lost !== null || isClosed) return;
    lost = why;
    if (isConnected) onLost();
    else attempt.abort(new ToolError(why));
    // Rejects the pending requests.
    void client.close();
  };
  const { target, stdio } = prepare(filled.transport, options, {
    lose,
    onToolsChanged,
    isOpen: () => lost === null && !isClosed,
  });
  try {
    // In the older protocol a server first sends the address to write to; the SDK waits for it without a limit.
    const limit = AbortSignal.any([signal, attempt.signal, deadline]);
    limit.throwIfAborted();
    // The protocol calls this handler first, with the same message.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
    target.onmessage = completeInitialization;
    const timeout = mode === 'auto' ? NEGOTIATED_TIMEOUT_MS : CONNECT_TIMEOUT_MS;
    await orAborted(client.connect(target, { timeout, signal }), limit);
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
    instructions: filled.redactAnswer(client.getInstructions() ?? ''),
    hasResources: client.getServerCapabilities()?.resources !== undefined,
    redact: filled.redact,
    async list() {
      listed = await listTools(client, AbortSignal.any([signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]));
      return listed;
    },
    async call(name, input, callSignal) {
      const params = { name, arguments: input };
      const limits = { signal: callSignal, timeout: NO_TIMEOUT_MS };
      if (client.getProtocolEra() !== 'modern') {
        const request = { method: 'tools/call', params } as const;
        return filled.redactAnswer(await client.request(request, resultSchema, limits));
      }
      // With the schema, the SDK repeats arguments as headers where the server asks for it (`x-mcp-header`). The result is
      // not compared with the tool's output schema: it is read as it comes.
      const inputSchema = { ...listed.find((tool) => tool.name === name)?.inputSchema, type: 'object' as const };
      return filled.redactAnswer(await client.callTool(params, { ...limits, toolDefinition: { name, inputSchema } }));
    },
    async readResource(uri, readSignal) {
      const request = { method: 'resources/read', params: { uri } } as const;
      const limits = { signal: readSignal, timeout: NO_TIMEOUT_MS };
      return filled.redactAnswer(await client.request(request, resultSchema, limits));
    },
    async close() {
      isClosed = true;
      if (target instanceof StreamableHTTPClientTransport && lost === null) await endSession(target);
      await client.close();
      await stdio?.close();
    },
  };
}

/** Ends the session on the server, so that the server need not keep it. */
async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  const ended = transport.terminateSession().catch(() => undefined);
  await within(END_SESSION_MS, ended);
}

async function listTools(client: Client, signal: AbortSignal): Promise<McpDefinition[]> {
  const tools = new Map<string, McpDefinition>();
  const seen = new Set<string>();
  let cursor: string | null | undefined;
  for (let page = 0; page < MAX_PAGES && tools.size < MAX_TOOLS; page += 1) {
    const request = { method: 'tools/list', params: { ...(cursor && { cursor }) } } as const;
    const options = { signal, timeout: NO_TIMEOUT_MS };
    const { tools: some, nextCursor } = await client.request(request, toolPageSchema, options);
    for (const tool of some ?? []) {
      const definition = definitionSchema.safeParse(tool);
      if (definition.success && !tools.has(definition.data.name)) tools.set(definition.data.name, definition.data);
    }
    cursor = nextCursor;
    // A server that repeats a cursor would otherwise loop forever.
    if (!cursor || seen.has(cursor)) break;
    seen.add(cursor);
  }
  return [...tools.values()].slice(0, MAX_TOOLS);
}

/** What a transport reports, and asks. */
interface TransportListener {
  /** The connection is lost, with the reason. */
  readonly lose: (why: ServerText) => void;
  readonly onToolsChanged: () => void;
  readonly isOpen: () => boolean;
}

/** Creates the transport for the client and watches it for lost connections. */
function prepare(
  transport: McpTransport,
  { variables, tokens }: ConnectionOptions,
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
    // In the newer protocol the GET stream carries only notifications, and a server may close it at any time: listing
    // the tools shows whether the server is still reachable. In the older protocol it carries the responses.
    if (method === 'GET' && type === 'http') {
      if (how !== 'ended') onToolsChanged();
    } else if (method === 'GET' || how !== 'ended') {
      const { host } = new URL(url);
      lose(how === 'refused' ? whyUnreachable(error, host).text : serverText('tool-server-broke-off'));
    }
  };
  const address = new URL(url);
  const options = {
    fetch: watchedFetch(onBroken),
    requestInit: { headers },
    ...(tokens && { authProvider: tokens }),
  };
  if (type === 'http') return { target: new StreamableHTTPClientTransport(address, options), stdio: null };
  // Servers with the older transport exist.
  // oxlint-disable-next-line typescript/no-deprecated
  return { target: new SSEClientTransport(address, options), stdio: null };
}
