import type { FaultLog } from '#server/core/process';
import { callHash } from '#server/integrations/mcp-server/call-hash';
import { EFFECT_META } from '#server/integrations/mcp-server/views';
import { outputSchemaOf } from '#server/integrations/mcp-server/result-shapes';
import {
  postponed,
  refused,
  ResultImages,
  toCallResult,
  withStructure,
} from '#server/integrations/mcp-server/call-result';
import { setTimeout as pause } from 'node:timers/promises';
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Mutex } from 'async-mutex';
import {
  asksByItself,
  type CallFacts,
  callsThatAsk,
  checkApproval,
  effectOf,
  isSensitive,
  targetOf,
} from '#server/conversation/step/call-effects';
import { type PendingCall, runCall } from '#server/conversation/step/run-tool-call';
import { policyOf } from '#server/conversation/step/toolboxes';
import { type ContentBackend, ONLY_DRAFTS } from '#server/site/content-backend';
import type { CurrentSettings } from '#server/context/settings/context-settings';
import { type CallRequest, callReachOf, type CallRequestStore } from '#server/core/conversation/pending-approvals';
import type { ChangeOrigin } from '#server/core/site/changes';
import { NotFoundError, ThroughlineError, ToolError } from '#server/core/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '#server/core/json';
import type { ServerText } from '#server/core/coded-message';
import { type Principal, scopesOfRole } from '#server/core/admin/access-rights';
import type { PresenceStore } from '#server/core/site/presence';
import { GuardedSite } from '#server/tools/stale-read-guard';
import { correctToolInput } from '#server/tools/schemas';
import {
  contentFor,
  type HistoryReader,
  isToolFor,
  scopeOf,
  type SessionFiles,
  type SessionPreferences,
  type Tool,
  type Toolbox,
  noSuchTool,
} from '#server/tools/tool';

interface ToolCallsOptions extends FaultLog {
  /** All tools; those that need a conversation are left out. */
  readonly tools: readonly Tool[];
  readonly settings: CurrentSettings;
  readonly writersIn: PresenceStore['writersIn'];
  readonly requests: CallRequestStore;
  /** Called after every call that needed approval. Never throws. */
  readonly onSensitiveCall: (caller: Principal, toolName: string, target: string | ServerText | null) => Promise<void>;
}

/** The site that a request concerns. */
export interface RequestedSite {
  readonly siteId: string;
  readonly content: ContentBackend;
}

/** A tool call as received from another program. */
export interface IncomingCall {
  readonly site: RequestedSite;
  readonly toolName: string;
  readonly input: JsonValue;
  /** Aborts when the caller disconnects or cancels the call. */
  readonly signal: AbortSignal;
  /** Reports progress while the call waits for a decision; null: it does not wait, but returns that a person is asked. */
  readonly reportProgress: ((message: string) => Promise<void>) | null;
  /** URL of the page on which a person approves calls; only its path in local mode, if the request names no host. */
  readonly decideAt: string;
  /** True if the caller's program can open that page for its user. */
  readonly canOpenPages: boolean;
  /** True if the caller's program shows views beside results. */
  readonly showsViews: boolean;
}

/**
 * Maximum wait for a decision; milliseconds. Some clients give up on a call after 10 seconds, whatever progress is
 * reported (fastmcp, pydantic-ai).
 */
const WAIT_MS = 8_000;
/** Interval of polling the database for a decision, milliseconds. */
const POLL_INTERVAL_MS = 500;
/** Interval of progress messages; milliseconds. */
const PROGRESS_INTERVAL_MS = 5_000;

/** Calls over MCP have no conversation, and therefore no history, preferences or files. */
const NO_HISTORY: HistoryReader = {
  search: () => Promise.resolve([]),
  readFrom: () => Promise.resolve([]),
  readPart: () => Promise.resolve(null),
  imagesOf: () => Promise.resolve([]),
};
const NO_PREFERENCES: SessionPreferences = {
  list: () => Promise.resolve([]),
  keep: () => Promise.reject(new ToolError('There is no conversation here.')),
  letGo: (id) => Promise.reject(new NotFoundError('preference', id)),
};
const NO_FILES: SessionFiles = {
  none: 'Nothing can be attached here: give the https address of an image, or the id of one of the media library.',
  list: () => Promise.resolve([]),
  read: () => Promise.resolve(null),
};

/** Never aborts: tools that write always run to completion. */
const NEVER_ABORTS = new AbortController().signal;

/** Thrown for a call that runs once a person has decided on a page, by the same call made again. */
export class DecisionNeeded extends Error {
  readonly requestId: string;
  readonly url: string;
  /** What the person decides about; shown by the client before it opens the page. */
  readonly question: string;

  /** @param message the same for clients that only show text */
  constructor(
    message: string,
    { requestId, url, question }: { readonly requestId: string; readonly url: string; readonly question: string },
  ) {
    super(message);
    this.requestId = requestId;
    this.url = url;
    this.question = question;
  }
}

/** Runs tool calls of other programs under the same rules as those of our assistant: scopes, policies, approvals. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #toolbox: Toolbox;
  readonly #writes = new SequentialRunner();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    // Tools with `isForEverybody` need a conversation.
    const tools = options.tools.filter(({ isForEverybody }) => isForEverybody !== true);
    this.#toolbox = { tools, find: (name) => tools.find((tool) => tool.name === name) };
  }

  /** The tools that a caller may use. */
  offered({ scopes }: Principal): readonly Tool[] {
    const { toolPolicies } = this.#options.settings.current();
    return this.#toolbox.tools.filter((tool) => policyOf(toolPolicies, tool) !== 'off' && isToolFor(scopes, tool));
  }

  /**
   * Runs a call; failures are returned as results.
   * @throws ProtocolError for an unknown tool
   * @throws DecisionNeeded if a person has just been asked and the caller's program can open the page for its user
   */
  async call(caller: Principal, incoming: IncomingCall): Promise<CallToolResult> {
    const tool = this.#toolbox.find(incoming.toolName);
    if (!tool) {
      const said = noSuchTool(incoming.toolName.slice(0, 100), this.offered(caller));
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, said);
    }
    const refusal = this.#refusalOf(caller, tool);
    if (refusal !== null) return refused(refusal);
    try {
      return await this.#attempt(caller, tool, incoming);
    } catch (error) {
      if (error instanceof ThroughlineError) return refused(error.message);
      if (error instanceof DecisionNeeded) throw error;
      if (!incoming.signal.aborted) this.#options.onFault(`A call of ${tool.name} over MCP failed`, error);
      return refused('The tool failed for an internal reason. Check the current state before repeating it.');
    }
  }

  /** Calls of this caller on a site that wait for a person, one sentence each. */
  async waiting(caller: Principal, siteId: string): Promise<readonly string[]> {
    const holder = approvalHolderOf(caller);
    const own = (await this.#options.requests.list(callReachOf(caller))).filter(
      (each) => each.keyId === holder && each.siteId === siteId && each.status === 'pending',
    );
    return own.map(({ toolName, effect }) => effect?.summary ?? `A call of ${toolName}.`);
  }

  #refusalOf({ scopes }: Principal, tool: Tool): string | null {
    if (policyOf(this.#options.settings.current().toolPolicies, tool) === 'off')
      return `The tool ${tool.name} is switched off.`;
    if (isToolFor(scopes, tool)) return null;
    return `Not done: this needs the scope "${scopeOf(tool)}".`;
  }

  async #attempt(caller: Principal, tool: Tool, incoming: IncomingCall): Promise<CallToolResult> {
    const input = correctToolInput(tool, withoutAddedFields(tool, incoming.input));
    const call: PendingCall = { partId: '', toolCallId: '', toolName: tool.name, input };
    const done = await this.#inOrder(caller, tool, incoming, async () =>
      (await this.#needsApproval(caller, call, incoming)) ? null : this.#run(caller, tool, call, incoming),
    );
    // A person can approve a call for which the key alone has no right.
    if (done && !done.isBeyondDrafts) return done.result;
    const asked = await this.#requestApproval(caller, tool, call, incoming);
    if (typeof asked === 'string') return refused(asked);
    const { request, isNew } = asked;
    // Only once: the same error for every repeated call would open the page again and again.
    if (isNew && incoming.canOpenPages && URL.canParse(incoming.decideAt)) throw pageToOpen(request, incoming);
    const { status, reason, effect } = await this.#waitFor(request, incoming);
    if (status === 'denied') return refused(deniedText(reason), { status, requestId: request.id });
    if (status !== 'approved') return waitingResult(request, incoming);
    const approved = { ...call, partId: request.id, decision: { approved: true, reason: null, effect } };
    return this.#inOrder(caller, tool, incoming, async () => {
      const isOurs = await this.#options.requests.use(request.id);
      return isOurs ? (await this.#run(caller, tool, approved, incoming)).result : refused(USED);
    });
  }

  /** Runs the writing calls of one key one after another. */
  #inOrder<T>(caller: Principal, tool: Tool, { signal }: IncomingCall, work: () => Promise<T>): Promise<T> {
    const unlessAborted = () => {
      signal.throwIfAborted();
      return work();
    };
    return tool.writes ? this.#writes.run(approvalHolderOf(caller), unlessAborted) : unlessAborted();
  }

  async #needsApproval(caller: Principal, call: PendingCall, incoming: IncomingCall): Promise<boolean> {
    const { settings, onFault } = this.#options;
    // An invalid input is refused when the call runs, without an approval request.
    if (this.#toolbox.find(call.toolName)?.input.safeParse(call.input).success !== true) return false;
    const context = { content: incoming.site.content, origin: originOf(caller) };
    const facts: CallFacts = {
      asks: (each, tool) => asksByItself(each, tool, context, onFault),
      shownEffect: () => Promise.resolve(null),
      changedSoFar: () => Promise.resolve([]),
    };
    const asking = await callsThatAsk([call], facts, {
      toolbox: this.#toolbox,
      settings: settings.current(),
      scopes: caller.scopes,
      signal: incoming.signal,
    });
    return asking.length > 0;
  }

  /**
   * Finds the pending approval of this call, or requests one.
   * @returns the approval, and whether it was requested just now, or the reason why the call cannot be done
   * @throws ConflictError if too many approvals of the key are pending
   */
  async #requestApproval(
    caller: Principal,
    tool: Tool,
    call: PendingCall,
    { signal, site: { siteId, content } }: IncomingCall,
  ): Promise<{ request: CallRequest; isNew: boolean } | string> {
    const { requests, onFault } = this.#options;
    const keyId = approvalHolderOf(caller);
    const { effect, refusal } = await effectOf(
      call,
      tool,
      { content, origin: originOf(caller), files: NO_FILES },
      { signal, onFault },
    );
    const callOnly = callHash(keyId, siteId, tool.name, call.input);
    // A decision holds only for the effect that was shown.
    const inputHash = effect === null ? callOnly : callHash(callOnly, siteId, tool.name, effect.digest ?? null);
    const present = await requests.find(inputHash);
    if (present) return { request: present, isNew: false };
    if (refusal !== null) return refusal;
    const { userId } = caller;
    const wanted = { keyId, userId, siteId, toolName: tool.name, input: call.input, inputHash, effect };
    return { request: await requests.ask(wanted), isNew: true };
  }

  /** Waits for the decision. @returns the approval; still pending if the maximum wait has passed */
  async #waitFor(request: CallRequest, { signal, reportProgress, decideAt }: IncomingCall): Promise<CallRequest> {
    const until = performance.now() + (reportProgress ? WAIT_MS : 0);
    let [current, reportedAt] = [request, -Infinity];
    while (current.status === 'pending' && performance.now() < until) {
      if (performance.now() - reportedAt >= PROGRESS_INTERVAL_MS) {
        reportedAt = performance.now();
        await reportProgress?.(`A person has to agree at ${decideAt}`);
      }
      await pause(POLL_INTERVAL_MS, undefined, { signal });
      current = await this.#options.requests.get(request.id);
    }
    return current;
  }

  async #run(caller: Principal, tool: Tool, call: PendingCall, incoming: IncomingCall): Promise<CallOutcome> {
    const { signal, site } = incoming;
    const { content } = site;
    const { settings, onFault, onSensitiveCall } = this.#options;
    const origin = originOf(caller, call);
    const approved = new Set([call.partId]);
    const check =
      call.decision && (await checkApproval(call, tool, { content, origin, files: NO_FILES }, { approved, onFault }));
    if (check && check.refusal !== null) return { result: refused(check.refusal), isBeyondDrafts: false };
    const {
      toolMaxOutputChars: maxChars,
      toolTimeoutMs: timeoutMs,
      toolOutputLimit: most,
      ...limits
    } = settings.current();
    // An approved call runs with the rights of the person who approved it.
    const scopes = call.decision?.approved === true ? scopesOfRole.editor : caller.scopes;
    const images = new ResultImages();
    const {
      result: { state, content: result },
      error,
    } = await runCall(
      call,
      this.#toolbox,
      {
        siteId: site.siteId,
        scopes,
        content: new GuardedSite(contentFor(content, scopes), { writersIn: this.#options.writersIn }),
        history: NO_HISTORY,
        wishes: NO_PREFERENCES,
        files: NO_FILES,
        origin,
        ifRevision: check ? check.ifRevision : undefined,
        signal: tool.writes ? NEVER_ABORTS : signal,
      },
      { limits: { ...limits, maxChars, timeoutMs, most }, keepFile: images.keep, onFault },
    );
    if (state === 'completed' && isSensitive(tool, call)) await onSensitiveCall(caller, tool.name, targetOf(call));
    const sent = toCallResult(result.output, images);
    return {
      result: outputSchemaOf(tool.name) === undefined ? sent : withStructure(sent),
      isBeyondDrafts: error?.text.code === ONLY_DRAFTS.code,
    };
  }
}

/** What a call that was run returns. */
interface CallOutcome {
  readonly result: CallToolResult;
  /** True if the call was refused because the key may only edit drafts; then nothing was done. */
  readonly isBeyondDrafts: boolean;
}

/** Id whose calls are run in order and need approval together: the key's, or the user's in local mode. */
function approvalHolderOf({ keyId, userId }: Principal): string {
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

function pageToOpen({ id, toolName, effect }: CallRequest, { decideAt: url }: IncomingCall): DecisionNeeded {
  const what = effect === null ? `A call of ${toolName}.` : effect.summary;
  return new DecisionNeeded(waitingText(url), {
    requestId: id,
    url,
    question: `A person has to decide about this: ${what}`,
  });
}

function deniedText(reason: string | null): string {
  const why = reason === null || reason === '' ? '' : ` They say: ${reason}`;
  return `Not done: a person has denied this call.${why} Do not make it again unless your user asks for it.`;
}

function waitingResult(request: CallRequest, incoming: IncomingCall): CallToolResult {
  const result = postponed(waitingText(incoming.decideAt), waitingData(request, incoming));
  const { effect } = request;
  return incoming.showsViews && effect !== null ? { ...result, _meta: { [EFFECT_META]: effect } } : result;
}

function waitingData({ id, effect, expiresAt }: CallRequest, { decideAt }: IncomingCall): JsonObject {
  return {
    status: 'waiting-for-approval',
    requestId: id,
    decideAt,
    expiresAt: new Date(expiresAt).toISOString(),
    ...(effect !== null && { summary: effect.summary }),
  };
}

/** Runs work with the same name one after another, in order of arrival. */
class SequentialRunner {
  readonly #turns = new Map<string, Mutex>();

  /** @throws the error of the work */
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

/** Fields that some clients add to the input of every call, for example n8n's MCP client. They are removed. */
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
