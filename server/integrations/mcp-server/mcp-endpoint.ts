import type { FaultLog } from '#server/core/process';
import packageJson from '#package.json' with { type: 'json' };
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  type InitializeRequest,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type RequestId,
  type Tool as ToolDescription,
} from '@modelcontextprotocol/sdk/types.js';
import Negotiator from 'negotiator';
import { z } from 'zod';
import { createContentResources } from '#server/integrations/mcp-server/content-resources';
import { outputSchemaOf } from '#server/integrations/mcp-server/result-shapes';
import { describePrompts, fillPrompt, requirePrompt } from '#server/integrations/mcp-server/prompts';
import { ProtocolError } from '#server/integrations/mcp-server/protocol-error';
import { ThroughlineError } from '#server/core/errors';
import { jsonValueSchema } from '#server/core/json';
import type { Principal } from '#server/core/admin/access-rights';
import type { RequestedSite, ToolCalls } from '#server/integrations/mcp-server/tool-calls';
import { defineAlone, type Tool } from '#server/tools/tool';

interface McpEndpointOptions extends FaultLog {
  /** Runs the calls of tools. */
  readonly calls: ToolCalls;
  /** A site's standing instructions in the form that models read; empty if it has none. */
  readonly standing: (siteId: string) => Promise<string>;
  /** Aborts when this process stops. */
  readonly closing: AbortSignal;
}

/** A message of a client, with what is known about its sender. */
interface McpRequest {
  readonly caller: Principal;
  readonly site: RequestedSite;
  /** Used for its headers; the body has already been read. */
  readonly request: Request;
  /** Aborts when the caller loses access, with the cause as its reason. */
  readonly lapsed?: AbortSignal | undefined;
  /** The message, as JSON. */
  readonly message: unknown;
  /** URL of the page on which a person approves calls. */
  readonly decideAt: string;
}

const SERVER = { name: 'throughline', title: 'Throughline', version: packageJson.version };
const SESSION_HEADER = 'mcp-session-id';
/** End of the session ids of clients that declared `elicitation.url` in `initialize`. */
const ELICITS = '-elicits';

/**
 * The MCP server: our tools and pages for other assistants (Model Context Protocol, Streamable HTTP). It has no state
 * between requests, so that any instance can answer any request. The session id only distinguishes clients, so that each
 * can cancel its own calls, and tells whether a client can open a page for its user.
 */
export class McpEndpoint {
  readonly #options: McpEndpointOptions;
  /** Calls running in this process, by client and request id. */
  readonly #running = new Map<string, AbortController>();

  constructor(options: McpEndpointOptions) {
    this.#options = options;
  }

  /**
   * Answers one message. Errors in the message are part of the answer.
   * @throws the reason of `lapsed`
   */
  async answer({ caller, site, request, lapsed, message, decideAt }: McpRequest): Promise<Response> {
    // The protocol has no batches since 2025-06-18, and a hundred calls must not count as one request.
    if (Array.isArray(message)) return refusal(400, ErrorCode.InvalidRequest, 'Send one message at a time.');
    if (message === undefined)
      return refusal(400, ErrorCode.ParseError, 'The body is empty. Send one message as JSON.');
    const { data: sent } = JSONRPCMessageSchema.safeParse(normalizeCall(message));
    if (!sent) return refusal(400, ErrorCode.InvalidRequest, 'This is not a JSON-RPC 2.0 message.', idOf(message));
    const problem = paramsProblem(sent);
    if (problem !== null) return refusal(200, ErrorCode.InvalidParams, problem, idOf(message));
    if ('method' in sent && sent.method === 'notifications/cancelled') this.#cancel(caller, request, sent);
    const accepted = acceptedTypes(request);
    const canOpenPages = declaredUrlElicitation(request);
    const isStream = wantsProgress(sent) && canOpenPages && accepted.includes(EVENTS);
    const server = await this.#server(caller, site, { decideAt, canOpenPages, isStream });
    const gone = new AbortController();
    const key = isJSONRPCRequest(sent) ? callKey(caller, request, sent.id) : null;
    if (key !== null) this.#running.set(key, gone);
    const ended = AbortSignal.any([request.signal, this.#options.closing, ...(lapsed ? [lapsed] : [])]);
    const leave = () => gone.abort();
    ended.addEventListener('abort', leave);
    const done = () => {
      ended.removeEventListener('abort', leave);
      if (key !== null && this.#running.get(key) === gone) this.#running.delete(key);
    };
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !isStream });
    const unread = new Promise<Response>((resolve) => {
      gone.signal.addEventListener('abort', () => {
        done();
        void server.close();
        resolve(new Response(null, { status: 202 }));
      });
    });
    await server.connect(transport);
    const response = await Promise.race([
      transport.handleRequest(asAccepted(request, accepted), { parsedBody: sent }),
      unread,
    ]);
    if (gone.signal.aborted) lapsed?.throwIfAborted();
    if (isInitializeRequest(sent) && response.ok) response.headers.set(SESSION_HEADER, newSessionId(sent));
    return watched(response, { done, leave });
  }

  #cancel(caller: Principal, request: Request, { params }: Extract<JSONRPCMessage, { method: string }>): void {
    const id = params?.['requestId'];
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#running.get(callKey(caller, request, id) ?? '')?.abort();
  }

  async #server(
    caller: Principal,
    site: RequestedSite,
    { isStream, ...facts }: { readonly decideAt: string; readonly canOpenPages: boolean; readonly isStream: boolean },
  ): Promise<McpServer> {
    const { calls } = this.#options;
    const resources = createContentResources(site.content);
    const server = new McpServer(SERVER, { instructions: await this.#instructions(site) });
    const { server: protocol } = server;
    // As options they would be declared with `listChanged`: no such notice is sent, because no connection stays open.
    protocol.registerCapabilities({ tools: {}, resources: {}, prompts: {}, completions: {} });
    protocol.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      requireNoCursor(params?.cursor);
      return { tools: calls.offered(caller).map(describeTool) };
    });
    protocol.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, _meta, sendNotification }) => {
      const token = _meta?.progressToken;
      let progress = 0;
      const reportProgress =
        token === undefined || !isStream
          ? null
          : (text: string) =>
              sendNotification({
                method: 'notifications/progress',
                params: { progressToken: token, progress: (progress += 1), message: text },
              });
      const input = jsonValueSchema.parse(params.arguments ?? {});
      return calls.call(caller, { ...facts, site, toolName: params.name, input, signal, reportProgress });
    });
    protocol.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
      this.#withMcpErrors(() => resources.list(params?.cursor)),
    );
    protocol.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) => {
      requireNoCursor(params?.cursor);
      return { resourceTemplates: [resources.template] };
    });
    protocol.setRequestHandler(CompleteRequestSchema, ({ params: { ref, argument } }) =>
      this.#withMcpErrors(async () => {
        const isId =
          ref.type === 'ref/resource' && ref.uri === resources.template.uriTemplate && argument.name === 'id';
        if (ref.type === 'ref/prompt') requirePrompt(ref.name, calls.offered(caller));
        // Of arguments that have no suggestions the answer is empty, not an error: clients ask for each of them.
        return isId ? resources.complete(argument.value) : { completion: { values: [] } };
      }),
    );
    protocol.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
      this.#withMcpErrors(() => resources.read(params.uri)),
    );
    protocol.setRequestHandler(ListPromptsRequestSchema, ({ params }) => {
      requireNoCursor(params?.cursor);
      return { prompts: describePrompts(calls.offered(caller)) };
    });
    protocol.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
      this.#withMcpErrors(async () => {
        const waiting = await calls.waiting(caller, site.siteId);
        return fillPrompt(params, calls.offered(caller), { decideAt: facts.decideAt, waiting });
      }),
    );
    return server;
  }

  async #instructions({ siteId }: RequestedSite): Promise<string> {
    const standing = await this.#options.standing(siteId);
    return standing === '' ? GUIDE : `${GUIDE}\n\n${standing}`;
  }

  /** Runs `work` and converts its errors. @throws ProtocolError that describes the caller's mistake, or a general one */
  async #withMcpErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      if (error instanceof ThroughlineError) throw new ProtocolError(ErrorCode.InvalidParams, error.message);
      this.#options.onFault('A request over MCP failed', error);
      throw new ProtocolError(ErrorCode.InternalError, 'Something went wrong on our side.');
    }
  }
}

/** Instructions for the assistant that uses the tools. */
const GUIDE = [
  'Tools to read and edit a website: its pages, posts, pictures, menu and settings.',
  'Edits go into drafts; publish_content puts them on the site.',
  'Some calls wait for a person of the site to agree: tell your user where, and make the same call again afterwards.',
  'Pictures are added by their https address.',
].join(' ');

/** A JSON-RPC error for a message that cannot be handled. */
function refusal(status: number, code: number, message: string, id: RequestId | null = null): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status });
}

function idOf(message: unknown): RequestId | null {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : null;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : null;
}

/** Schemas of the requests handled here, checked first: the SDK would answer with its complete schema. */
const requests = [
  InitializeRequestSchema,
  ListToolsRequestSchema,
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  ListPromptsRequestSchema,
  GetPromptRequestSchema,
  CompleteRequestSchema,
];

/** The first problem with a request's parameters, in one sentence; null if they are valid. */
function paramsProblem(message: JSONRPCMessage): string | null {
  if (!isJSONRPCRequest(message)) return null;
  const schema = requests.find(({ shape }) => shape.method.value === message.method);
  const issue = schema?.safeParse(message).error?.issues[0];
  if (!issue) return null;
  return `The parameters of ${message.method} are wrong: ${issue.path.join('.')}: ${issue.message}.`;
}

/**
 * A call without `arguments: null`, which counts as no arguments, and without `task`: who declares no tasks must run the
 * call as if it had none (2025-11-25, basic/utilities/tasks, "Capability Negotiation"). Other messages are unchanged.
 */
function normalizeCall(message: unknown): unknown {
  const parsed = callSchema.safeParse(message);
  if (!parsed.success) return message;
  const { arguments: given, task: _task, ...params } = parsed.data.params;
  return { ...parsed.data, params: { ...params, ...(given !== null && given !== undefined && { arguments: given }) } };
}

const callSchema = z.looseObject({
  method: z.literal('tools/call'),
  params: z.looseObject({ arguments: z.unknown().optional(), task: z.unknown().optional() }),
});

/**
 * Refuses the cursor of another list, for lists that are sent whole (2025-11-25, "Pagination", "Error
 * Handling").
 * @throws ProtocolError
 */
function requireNoCursor(cursor: string | undefined): void {
  if (cursor !== undefined)
    throw new ProtocolError(ErrorCode.InvalidParams, 'This cursor is not valid. Start again without one.');
}

const [JSON_TYPE, EVENTS] = ['application/json', 'text/event-stream'];

/**
 * The content types that both the client and we accept for the response (RFC 9110, 12.5.1: a missing header accepts
 * all).
 */
function acceptedTypes({ headers }: Request): string[] {
  const accept = headers.get('accept') ?? undefined;
  return new Negotiator({ headers: { accept } }).mediaTypes([JSON_TYPE, EVENTS]);
}

/**
 * The request with an `accept` header that satisfies the SDK: it requires both names, which the protocol asks clients
 * to list, and refuses clients that accept the type of the response in another form.
 */
function asAccepted(request: Request, accepted: readonly string[]): Request {
  if (!accepted.includes(JSON_TYPE)) return request;
  const headers = new Headers(request.headers);
  headers.set('accept', `${JSON_TYPE}, ${EVENTS}`);
  return new Request(request.url, { method: request.method, headers });
}

/** Key of a running call; null for clients without a session id, which may use the same request ids. */
function callKey({ keyId, userId }: Principal, { headers }: Request, id: RequestId): string | null {
  const client = headers.get(SESSION_HEADER);
  return client === null ? null : JSON.stringify([keyId ?? userId, client, id]);
}

/** A new session id, which tells any instance whether the client declared `elicitation.url`. */
function newSessionId({ params }: InitializeRequest): string {
  return `${crypto.randomUUID()}${params.capabilities.elicitation?.url === undefined ? '' : ELICITS}`;
}

/** True if the client can open a page for its user (2025-11-25, client/elicitation, "Capabilities"). */
function declaredUrlElicitation({ headers }: Request): boolean {
  return headers.get(SESSION_HEADER)?.endsWith(ELICITS) === true;
}

/** True if the client asked for progress. */
function wantsProgress(message: JSONRPCMessage): boolean {
  return 'method' in message && message.params?._meta?.progressToken !== undefined;
}

/** The same response, which calls `done` at its end, and `leave` if the client cancels it. */
function watched(response: Response, { done, leave }: { readonly done: () => void; readonly leave: () => void }) {
  const { body, headers, status } = response;
  if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    done();
    return response;
  }
  // TypeScript does not yet include `cancel`.
  const watcher = { flush: done, cancel: leave } as Transformer<Uint8Array, Uint8Array>;
  return new Response(body.pipeThrough(new TransformStream(watcher)), { status, headers });
}

/** Tools that may connect to addresses outside the site (`openWorldHint`). */
const OPEN_WORLD_TOOLS: ReadonlySet<string> = new Set(['add_media']);

/**
 * Description of a tool for other assistants. `destructiveHint` marks calls that need approval: all others change only
 * drafts and can be undone.
 */
function describeTool(tool: Tool): ToolDescription {
  const { name, description, inputSchema } = defineAlone(tool);
  const title = titleOf(name);
  const outputSchema = outputSchemaOf(name);
  return {
    name,
    title,
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: {
      title,
      readOnlyHint: !tool.writes,
      destructiveHint: tool.writes === true && (tool.policy === 'ask' || tool.asks !== undefined),
      idempotentHint: !tool.writes,
      openWorldHint: OPEN_WORLD_TOOLS.has(name),
    },
  };
}

/** Display name of a tool: of `publish_content`, "Publish content". */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
