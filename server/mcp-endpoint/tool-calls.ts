import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type CallToolResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { Mutex } from 'async-mutex';
import { asksByItself, callsThatAsk, checkApproval, effectOf } from '#server/agent/call-effects';
import { type OnFault, type PendingCall, runToolCall } from '#server/agent/run-tool-call';
import { isSensitive, targetOf } from '#server/agent/tool-runner';
import { policyOf } from '#server/agent/toolboxes';
import { type ContentBackend, ONLY_DRAFTS } from '#server/content/content-backend';
import type { ContextSettings } from '#server/context/settings/context-settings';
import type { CallRequest, CallRequestStore } from '#server/core/call-requests';
import type { ChangeOrigin } from '#server/core/changes';
import { NotFoundError, ThroughlineError, ToolError } from '#server/core/errors';
import { blobIdOf } from '#server/core/files';
import { isJsonObject, type JsonValue } from '#server/core/json';
import type { ToolOutput } from '#server/core/parts';
import type { Principal } from '#server/core/access-rights';
import type { PresenceStore } from '#server/core/presence';
import { asToolImage } from '#server/core/tool-result';
import { prepareImage } from '#server/media/prepare-picture';
import type { KeepFile } from '#server/media/sanitize-tool-result';
import { sniffFile } from '#server/media/sniff-file';
import { besideWriters } from '#server/tools/guarded-content';
import { inputAsMeant } from '#server/tools/schemas';
import {
  contentFor,
  type HistoryReader,
  isToolFor,
  scopeOf,
  type SessionFiles,
  type SessionWishes,
  type Tool,
  type Toolbox,
  noSuchTool,
} from '#server/tools/tool';

export interface ToolCallsOptions {
  readonly tools: readonly Tool[];
  readonly settings: () => ContextSettings;
  readonly writersIn: PresenceStore['writersIn'];
  readonly requests: CallRequestStore;
  /** Called after every call that needed approval. Never throws. */
  readonly onSensitiveCall: (caller: Principal, toolName: string, target: string | null) => Promise<void>;
  readonly onFault: OnFault;
}

/** The site that a caller asks about. */
export interface AskedSite {
  readonly siteId: string;
  readonly content: ContentBackend;
}

/** A call as received. */
export interface IncomingCall {
  readonly site: AskedSite;
  readonly toolName: string;
  readonly input: JsonValue;
  /** Aborts when the caller disconnects or cancels the call. */
  readonly signal: AbortSignal;
  /** Reports progress to the caller; null if it did not ask for progress: then decisions are not waited for. */
  readonly tell: ((message: string) => Promise<void>) | null;
  /** URL of the page on which a person approves calls. */
  readonly decideAt: string;
}

/** Longest wait for a decision if the caller gets progress; clients wait a minute at most. Milliseconds. */
const WAIT_MS = 25_000;
/** Interval at which the database is asked for a decision, milliseconds. */
const LOOK_EVERY_MS = 500;
/** Interval of progress messages, milliseconds: clients give up on a silent call. */
const TELL_EVERY_MS = 5_000;

/** Calls over MCP have no conversation, so no history, no wishes and no files. */
const NO_HISTORY: HistoryReader = {
  search: () => Promise.resolve([]),
  exchangeAt: () => Promise.resolve(null),
  readFrom: () => Promise.resolve([]),
  readPart: () => Promise.resolve(null),
  imagesOf: () => Promise.resolve([]),
};
const NO_WISHES: SessionWishes = {
  list: () => Promise.resolve([]),
  keep: () => Promise.reject(new ToolError('There is no conversation here.')),
  letGo: (id) => Promise.reject(new NotFoundError('kept wish', id)),
};
const NO_FILES: SessionFiles = {
  none: 'Nothing can be attached here: give the https address of an image, or the id of one of the media library.',
  list: () => Promise.resolve([]),
  read: () => Promise.resolve(null),
};

/** Never aborts: tools that write are left to finish. */
const FINISHES = new AbortController().signal;

/** Runs calls of other assistants under the same rules as our own: scopes, policies and approvals. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #toolbox: Toolbox;
  readonly #writes = new OneAtATime();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    // Tools for everybody are about a conversation.
    const tools = options.tools.filter(({ isForEverybody }) => isForEverybody !== true);
    this.#toolbox = { tools, find: (name) => tools.find((tool) => tool.name === name) };
  }

  /** Tools offered to a caller. */
  offered({ scopes }: Principal): readonly Tool[] {
    const { toolPolicies } = this.#options.settings();
    return this.#toolbox.tools.filter((tool) => policyOf(toolPolicies, tool) !== 'off' && isToolFor(scopes, tool));
  }

  /** Runs a call; failures are results. @throws McpError for an unknown tool */
  async call(caller: Principal, incoming: IncomingCall): Promise<CallToolResult> {
    const tool = this.#toolbox.find(incoming.toolName);
    if (!tool) {
      const said = noSuchTool(incoming.toolName.slice(0, 100), this.offered(caller));
      throw new McpError(ErrorCode.InvalidParams, said);
    }
    const refusal = this.#refusalOf(caller, tool);
    if (refusal !== null) return refused(refusal);
    try {
      return await this.#attempt(caller, tool, incoming);
    } catch (error) {
      if (error instanceof ThroughlineError) return refused(error.message);
      if (!incoming.signal.aborted) this.#options.onFault(`A call of ${tool.name} over MCP failed`, error);
      return refused('The tool failed for an internal reason. Check the current state before repeating it.');
    }
  }

  #refusalOf({ scopes }: Principal, tool: Tool): string | null {
    if (policyOf(this.#options.settings().toolPolicies, tool) === 'off')
      return `The tool ${tool.name} is switched off.`;
    if (isToolFor(scopes, tool)) return null;
    return `Not done: this needs the scope "${scopeOf(tool)}".`;
  }

  async #attempt(caller: Principal, tool: Tool, incoming: IncomingCall): Promise<CallToolResult> {
    const input = inputAsMeant(tool, withoutAddedFields(tool, incoming.input));
    const call: PendingCall = { partId: '', toolCallId: '', toolName: tool.name, input };
    const done = await this.#inTurn(caller, tool, incoming, async () =>
      (await this.#asks(caller, call, incoming)) ? null : this.#run(caller, tool, call, incoming),
    );
    // A person can approve a call that the key alone may not make.
    if (done && !isBeyondDrafts(done)) return done;
    const request = await this.#ask(caller, tool, call, incoming);
    if (typeof request === 'string') return refused(request);
    const { status, reason, effect } = await this.#waitFor(request, incoming);
    if (status === 'denied') return refused(deniedText(reason), { status, requestId: request.id });
    if (status !== 'approved') return postponed(waitingText(incoming.decideAt), waiting(request, incoming));
    const approved = { ...call, partId: request.id, decision: { approved: true, reason: null, effect } };
    return this.#inTurn(caller, tool, incoming, async () => {
      const isOurs = await this.#options.requests.use(request.id);
      return isOurs ? this.#run(caller, tool, approved, incoming) : refused(USED);
    });
  }

  /** Runs writing calls of one key one after the other. */
  #inTurn<T>(caller: Principal, tool: Tool, { signal }: IncomingCall, work: () => Promise<T>): Promise<T> {
    const unlessGone = () => {
      signal.throwIfAborted();
      return work();
    };
    return tool.writes ? this.#writes.run(holderOf(caller), unlessGone) : unlessGone();
  }

  async #asks(caller: Principal, call: PendingCall, { site: { content } }: IncomingCall): Promise<boolean> {
    const { settings, onFault } = this.#options;
    // An invalid input is refused when the call is run, without asking anybody.
    if (this.#toolbox.find(call.toolName)?.input.safeParse(call.input).success !== true) return false;
    const context = { content, origin: originOf(caller) };
    const asking = await callsThatAsk([call], {
      toolbox: this.#toolbox,
      settings: settings(),
      scopes: caller.scopes,
      asks: (each, tool) => asksByItself(each, tool, context, onFault),
      effectOf: () => Promise.resolve(null),
      changedSoFar: () => Promise.resolve([]),
    });
    return asking.length > 0;
  }

  /** The present or a new approval request for this call, or why it cannot be done. @throws ConflictError */
  async #ask(
    caller: Principal,
    tool: Tool,
    call: PendingCall,
    { signal, site: { siteId, content } }: IncomingCall,
  ): Promise<CallRequest | string> {
    const { requests, onFault } = this.#options;
    const keyId = holderOf(caller);
    const inputHash = callHash(keyId, siteId, tool.name, call.input);
    const present = await requests.find(inputHash);
    if (present) return present;
    const { effect, refusal } = await effectOf(
      call,
      tool,
      { content, origin: originOf(caller), files: NO_FILES },
      { signal, onFault },
    );
    if (refusal !== null) return refusal;
    const { userId } = caller;
    return requests.ask({ keyId, userId, siteId, toolName: tool.name, input: call.input, inputHash, effect });
  }

  /** The request once it is decided, or still pending when the time is over. */
  async #waitFor(request: CallRequest, { signal, tell, decideAt }: IncomingCall): Promise<CallRequest> {
    const until = performance.now() + (tell ? WAIT_MS : 0);
    let [current, toldAt] = [request, -Infinity];
    while (current.status === 'pending' && performance.now() < until) {
      if (performance.now() - toldAt >= TELL_EVERY_MS) {
        toldAt = performance.now();
        await tell?.(`A person has to agree at ${decideAt}`);
      }
      await pause(LOOK_EVERY_MS, undefined, { signal });
      current = await this.#options.requests.get(request.id);
    }
    return current;
  }

  async #run(caller: Principal, tool: Tool, call: PendingCall, incoming: IncomingCall): Promise<CallToolResult> {
    const { signal, site } = incoming;
    const { content } = site;
    const { settings, onFault, onSensitiveCall } = this.#options;
    const origin = originOf(caller, call);
    const approved = new Set([call.partId]);
    const check =
      call.decision && (await checkApproval(call, tool, { content, origin, files: NO_FILES }, { approved, onFault }));
    if (check && check.refusal !== null) return refused(check.refusal);
    const { toolMaxOutputChars: maxChars, toolTimeoutMs: timeoutMs, toolOutputLimit: most, ...limits } = settings();
    // An approved call runs with the rights of the person who approved it.
    const allowed = call.decision?.approved === true ? content : contentFor(content, caller.scopes);
    const images = new ResultImages();
    const { state, content: result } = await runToolCall(
      call,
      this.#toolbox,
      {
        siteId: site.siteId,
        content: besideWriters(allowed, this.#options.writersIn),
        history: NO_HISTORY,
        wishes: NO_WISHES,
        files: NO_FILES,
        origin,
        ifRevision: check ? check.ifRevision : undefined,
        signal: tool.writes ? FINISHES : signal,
      },
      { limits: { ...limits, maxChars, timeoutMs, most }, keepFile: images.keep, onFault },
    );
    if (state === 'completed' && isSensitive(tool, call)) await onSensitiveCall(caller, tool.name, targetOf(call));
    return toCallResult(result.output, images);
  }
}

/** True if a call was refused because the key may only edit drafts; nothing was done then. */
function isBeyondDrafts({ isError, content }: CallToolResult): boolean {
  return isError === true && content.some((piece) => piece.type === 'text' && piece.text === ONLY_DRAFTS);
}

/** Id under which calls are queued and approved: the key's, or the user's in local mode. */
function holderOf({ keyId, userId }: Principal): string {
  return keyId ?? userId;
}

function originOf({ userId }: Principal, call?: PendingCall): ChangeOrigin {
  return { actor: 'api', userId, ...(call?.decision?.approved && { approvalId: call.partId }) };
}

const USED =
  'Not done: the approved call has run already, or its approval is no longer valid. Look at the current state before you make the call again.';

function waitingText(decideAt: string): string {
  return `Nothing is done yet: this waits for a person, who is asked at ${decideAt} . Tell your user. Once they have agreed, make the same call with the same arguments again: it is done then, and not before.`;
}

function deniedText(reason: string | null): string {
  const why = reason === null || reason === '' ? '' : ` They say: ${reason}`;
  return `Not done: a person has denied this call.${why} Do not make it again unless your user asks for it.`;
}

function waiting({ id, effect, expiresAt }: CallRequest, { decideAt }: IncomingCall): JsonValue {
  return {
    status: 'waiting-for-approval',
    requestId: id,
    decideAt,
    expiresAt,
    ...(effect !== null && { summary: effect.summary }),
  };
}

/** Images of one result, held until it is sent. */
class ResultImages {
  readonly #data = new Map<string, Uint8Array>();

  readonly keep: KeepFile = async (bytes, filename) => {
    const { mediaType } = await sniffFile(bytes, filename);
    const { data, width, height } = await prepareImage(bytes, mediaType);
    const id = `image-${this.#data.size}`;
    this.#data.set(id, data);
    return { id, sessionId: '', mediaType, filename, size: data.length, width, height, createdAt: 0 };
  };

  /** An image as base64; null if there is none with this URL. */
  read(url: string): string | null {
    const data = this.#data.get(blobIdOf(url) ?? '');
    return data ? Buffer.from(data).toString('base64') : null;
  }
}

/** A tool's output in the protocol's shape. JSON is sent twice: as text for models and as data for programs. */
function toCallResult(output: ToolOutput, images: ResultImages): CallToolResult {
  switch (output.type) {
    case 'text':
      return { content: [{ type: 'text', text: output.value }] };
    case 'error-text':
      return refused(output.value);
    case 'json':
      return { content: [{ type: 'text', text: JSON.stringify(output.value) }], ...structured(output.value) };
    case 'error-json':
      return refused(JSON.stringify(output.value));
    case 'execution-denied':
      return refused(output.reason ?? 'Denied.');
    case 'content':
      return { content: output.value.map((piece) => contentOf(piece, images)) };
  }
}

/** Result of a call that was refused or failed. */
function refused(message: string, data?: JsonValue): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true, ...structured(data) };
}

/** Result of a call that waits for approval. */
function postponed(message: string, data: JsonValue): CallToolResult {
  return { content: [{ type: 'text', text: message }], ...structured(data) };
}

function structured(value: JsonValue | undefined): Pick<CallToolResult, 'structuredContent'> {
  return isJsonObject(value) ? { structuredContent: value } : {};
}

function contentOf(
  piece: { readonly [field: string]: unknown },
  images: ResultImages,
): CallToolResult['content'][number] {
  const image = asToolImage(piece);
  const data = image && images.read(image.url);
  if (image && data) return { type: 'image', data, mimeType: image.mediaType };
  return { type: 'text', text: typeof piece['text'] === 'string' ? piece['text'] : '' };
}

/**
 * Hash of a call, hex, by which its approval is found again. The order of object fields does not matter.
 * @param caller id of the key, or of the user in local mode
 * @param siteId id of the site: an approval for one site is not valid on another
 */
export function callHash(caller: string, siteId: string, toolName: string, input: JsonValue): string {
  return createHash('sha256')
    .update(JSON.stringify([caller, siteId, toolName, ordered(input)]))
    .digest('hex');
}

function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // As pairs: a field may be called `__proto__`.
  return { fields: entries.map(([name, each]) => [name, ordered(each)]) };
}

/** Runs work of the same name one after the other, in order of arrival. */
class OneAtATime {
  readonly #turns = new Map<string, Mutex>();

  /** @throws what the work throws */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.get(name) ?? new Mutex();
    this.#turns.set(name, turn);
    try {
      return await turn.runExclusive(work);
    } finally {
      if (!turn.isLocked()) this.#turns.delete(name);
    }
  }
}

/** Fields of their own that some clients add to every call, n8n's MCP client among them. */
const ADDED_FIELDS: ReadonlySet<string> = new Set(['action', 'chatInput', 'sessionId', 'tool', 'toolCallId']);

function withoutAddedFields({ input: schema }: Tool, value: JsonValue): JsonValue {
  const unknown = schema
    .safeParse(value)
    .error?.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys' && issue.path.length === 0
        ? issue.keys.filter((key) => ADDED_FIELDS.has(key))
        : [],
    );
  if (!unknown?.length || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !unknown.includes(name)));
}
