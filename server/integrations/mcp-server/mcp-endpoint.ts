import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  type InitializeRequest,
  isInitializeRequest,
  isJSONRPCRequest,
  isLegacyRequest,
  isSpecType,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
  specTypeSchemas,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import Negotiator from 'negotiator';
import { z } from 'zod';
import {
  type CallerFacts,
  type CallerServerOptions,
  createCallerServer,
} from '#server/integrations/mcp-server/caller-server';
import type { Principal } from '#server/core/admin/access-rights';
import { VIEW_MIME, VIEWS_EXTENSION } from '#server/integrations/mcp-server/views';
import type { RequestedSite } from '#server/integrations/mcp-server/tool-calls';

interface McpEndpointOptions extends CallerServerOptions {
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

/** A valid message, and the family of revisions that it belongs to. */
interface ReadMessage {
  readonly sent: JSONRPCMessage;
  readonly era: CallerFacts['era'];
}

/** Status of the SDK for a request whose client has left. */
const CLIENT_CLOSED = 499;
const SESSION_HEADER = 'mcp-session-id';
/** Parts of the session ids of clients that declared `elicitation.url`, or views, in `initialize`. */
const ELICITS = '-elicits';
const VIEWS = '-views';

/**
 * The MCP server: our tools and pages for other assistants (Model Context Protocol, Streamable HTTP), in the revisions
 * 2026-07-28 and 2025-11-25 and those before. It has no state between requests, so that any instance can answer any
 * request. The session id of the older revisions only distinguishes clients, so that each can cancel its own calls, and
 * tells whether a client can open a page for its user, and shows views.
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
  async answer(received: McpRequest): Promise<Response> {
    const { caller, request, message } = received;
    // The protocol has no batches since 2025-06-18, and a hundred calls must not count as one request.
    if (Array.isArray(message)) return refusal(400, ProtocolErrorCode.InvalidRequest, 'Send one message at a time.');
    if (message === undefined)
      return refusal(400, ProtocolErrorCode.ParseError, 'The body is empty. Send one message as JSON.');
    const sent = normalizeCall(message);
    if (!isSpecType.JSONRPCMessage(sent))
      return refusal(400, ProtocolErrorCode.InvalidRequest, 'This is not a JSON-RPC 2.0 message.', idOf(message));
    const isLegacy = await isLegacyRequest(request, sent);
    // The modern revisions have no `initialize`, whatever its parameters: the SDK says so.
    const problem = !isLegacy && 'method' in sent && sent.method === 'initialize' ? null : paramsProblem(sent);
    if (problem !== null) return refusal(200, ProtocolErrorCode.InvalidParams, problem, idOf(message));
    if (isLegacy) {
      if ('method' in sent && sent.method === 'notifications/cancelled') this.#cancel(caller, request, sent);
      return this.#answerLegacy(received, sent);
    }
    return this.#answerModern(received, sent);
  }

  /** Answers a message of revision 2026-07-28, whose clients cancel a call by closing its connection. */
  async #answerModern(received: McpRequest, sent: JSONRPCMessage): Promise<Response> {
    const { request, lapsed } = received;
    // Built here, so that an error of ours reaches the route, which reports it.
    const server = await this.#server(received, { sent, era: 'modern' });
    const handler = createMcpHandler(() => server, { legacy: 'reject' });
    const { url, method, headers } = request;
    const forwarded = new Request(url, { method, headers, signal: this.#ending(received) });
    const response = await handler.fetch(forwarded, { parsedBody: sent });
    if (response.status === CLIENT_CLOSED) lapsed?.throwIfAborted();
    return response;
  }

  /** Answers a message of the revisions up to 2025-11-25. */
  async #answerLegacy(received: McpRequest, sent: JSONRPCMessage): Promise<Response> {
    const { caller, request, lapsed } = received;
    const server = await this.#server(received, { sent, era: 'legacy' });
    const gone = new AbortController();
    const key = isJSONRPCRequest(sent) ? callKey(caller, request, sent.id) : null;
    if (key !== null) this.#running.set(key, gone);
    const ended = this.#ending(received);
    const leave = () => gone.abort();
    ended.addEventListener('abort', leave);
    const done = () => {
      ended.removeEventListener('abort', leave);
      if (key !== null && this.#running.get(key) === gone) this.#running.delete(key);
    };
    const accepted = acceptedTypes(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !canStream(request, { sent, era: 'legacy' }),
    });
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

  #server({ caller, site, decideAt, request }: McpRequest, message: ReadMessage) {
    const canOpenPages = declaredUrlElicitation(request, message);
    const showsViews = declaredViews(request, message);
    const isStream = canStream(request, message);
    const client = { canOpenPages, showsViews, isStream, era: message.era };
    return createCallerServer(this.#options, { caller, site, decideAt, ...client });
  }

  /** Aborts when the client leaves, loses access, or this process stops. */
  #ending({ request, lapsed }: McpRequest): AbortSignal {
    return AbortSignal.any([request.signal, this.#options.closing, ...(lapsed ? [lapsed] : [])]);
  }

  #cancel(caller: Principal, request: Request, { params }: Extract<JSONRPCMessage, { method: string }>): void {
    const id = params?.['requestId'];
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#running.get(callKey(caller, request, id) ?? '')?.abort();
  }
}

/** A JSON-RPC error for a message that cannot be handled. */
function refusal(status: number, code: number, message: string, id: RequestId | null = null): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status });
}

function idOf(message: unknown): RequestId | null {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : null;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : null;
}

/** Schemas of the requests handled here, checked first: the SDK would answer with all problems as JSON. */
const requests: Readonly<Record<string, (typeof specTypeSchemas)[keyof typeof specTypeSchemas]>> = {
  initialize: specTypeSchemas.InitializeRequest,
  'tools/list': specTypeSchemas.ListToolsRequest,
  'tools/call': specTypeSchemas.CallToolRequest,
  'resources/list': specTypeSchemas.ListResourcesRequest,
  'resources/templates/list': specTypeSchemas.ListResourceTemplatesRequest,
  'resources/read': specTypeSchemas.ReadResourceRequest,
  'prompts/list': specTypeSchemas.ListPromptsRequest,
  'prompts/get': specTypeSchemas.GetPromptRequest,
  'completion/complete': specTypeSchemas.CompleteRequest,
};

/** The first problem with a request's parameters, in one sentence; null if they are valid. */
function paramsProblem(message: JSONRPCMessage): string | null {
  if (!isJSONRPCRequest(message) || !Object.hasOwn(requests, message.method)) return null;
  const [issue] = requests[message.method]!['~standard'].validate(message).issues ?? [];
  if (!issue) return null;
  const path = (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step)).join('.');
  return `The parameters of ${message.method} are wrong: ${path}: ${issue.message}.`;
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

/** A new session id, which tells any instance what the client declared. */
function newSessionId({ params: { capabilities } }: InitializeRequest): string {
  const elicits = capabilities.elicitation?.url === undefined ? '' : ELICITS;
  return `${crypto.randomUUID()}${elicits}${viewsSchema.safeParse(capabilities).success ? VIEWS : ''}`;
}

/**
 * True if the client can open a page for its user (client/elicitation, "Capabilities"). Since 2026-07-28 each request
 * declares it; in earlier revisions only `initialize` does.
 */
function declaredUrlElicitation({ headers }: Request, { sent, era }: ReadMessage): boolean {
  if (era === 'legacy') return headers.get(SESSION_HEADER)?.includes(ELICITS) === true;
  const declared = capabilitiesSchema.safeParse(capabilitiesOf(sent));
  return declared.success && declared.data.elicitation.url !== undefined;
}

/** True if the client shows views. Also read from `initialize` itself, because its answer names the extension. */
function declaredViews({ headers }: Request, { sent, era }: ReadMessage): boolean {
  if (isInitializeRequest(sent)) return viewsSchema.safeParse(sent.params.capabilities).success;
  if (era === 'legacy') return headers.get(SESSION_HEADER)?.includes(VIEWS) === true;
  return viewsSchema.safeParse(capabilitiesOf(sent)).success;
}

function capabilitiesOf(sent: JSONRPCMessage): unknown {
  return 'method' in sent ? sent.params?._meta?.[CLIENT_CAPABILITIES_META_KEY] : undefined;
}

const viewsSchema = z.looseObject({
  extensions: z.looseObject({
    [VIEWS_EXTENSION]: z.looseObject({
      mimeTypes: z.array(z.string()).refine((types) => types.includes(VIEW_MIME)),
    }),
  }),
});

const capabilitiesSchema = z.looseObject({ elicitation: z.looseObject({ url: z.unknown() }) });

/**
 * True if progress is sent before the result: the client asked for it, accepts a stream, and can open the page on which
 * a person decides. Other clients ask for progress with every call, and would wait for nothing.
 */
function canStream(request: Request, message: ReadMessage): boolean {
  const wantsProgress = 'method' in message.sent && message.sent.params?._meta?.progressToken !== undefined;
  return wantsProgress && declaredUrlElicitation(request, message) && acceptedTypes(request).includes(EVENTS);
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
