import type { UIMessageChunk } from 'ai';
import type { ChangeOrigin } from '#server/core/changes';
import type { ApprovalPolicy } from '#server/core/approvals';
import type { Message } from '#server/core/messages';
import type { Session } from '#server/core/sessions';
import type { Turn } from '#server/core/turns';
import type { Scope } from '#server/core/access-rights';
import type { PresenceStore } from '#server/core/presence';
import type { ToolEffect } from '#server/core/tool-effect';
import { toolOutputText } from '#server/core/part-text';
import type { AskedCall } from '#server/core/turn-store';
import type { ContextSettings } from '#server/context/settings/context-settings';
import type { TurnSite } from '#server/agent/site-facts';
import type { Attachments } from '#server/agent/attachments';
import { AnswerWriter, type MessageWriter } from '#server/agent/answer-writer';
import {
  type AskingCall,
  asksByItself,
  type CallEffect,
  callsThatAsk,
  checkApproval,
  effectOf,
  isDecided,
} from '#server/agent/call-effects';
import { guardedContent, Sights } from '#server/tools/guarded-content';
import {
  asDecided,
  loadCalledTool,
  type OnFault,
  type PendingCall,
  refusedCall,
  runToolCall,
  callAsMeant,
  type ToolDecision,
  type ToolResult,
} from '#server/agent/run-tool-call';
import { RepeatedCalls, withNote } from '#server/agent/odd-answers';
import { policyOf } from '#server/agent/toolboxes';
import { withTokens } from '#server/context/part-tokens';
import { approvalRequest, toolResultChunks } from '#server/agent/ui-messages';
import {
  contentFor,
  type EffectContext,
  type HistoryReader,
  isToolFor,
  type SessionWishes,
  type Tool,
  type Toolbox,
} from '#server/tools/tool';

export interface ToolRunnerDependencies {
  readonly messages: MessageWriter;
  readonly site: TurnSite;
  readonly attachments: Pick<Attachments, 'keep' | 'filesOf'>;
  readonly historyOf: (sessionId: string, turnId: string) => HistoryReader;
  /** @param modelId of the turn; null: the default model */
  readonly wishesOf: (sessionId: string, modelId: string | null) => SessionWishes;
  /** Reads at which revisions the session's tool results have shown things of the site. */
  readonly seenIn: (sessionId: string) => Promise<Readonly<Record<string, number>>>;
  /** People now writing by hand in an entry, and where. */
  readonly writersIn?: PresenceStore['writersIn'] | undefined;
  readonly toolboxOf: (sessionId: string) => Toolbox;
  /** @throws ToolError where it cannot be loaded */
  readonly loadTool: (sessionId: string, name: string) => Promise<readonly string[]>;
  /** Notes which tools were called. */
  readonly noteUse: (sessionId: string, names: readonly string[]) => Promise<void>;
  readonly settings: () => ContextSettings;
  readonly onFault: OnFault;
  /** Told of every call that did what a user is asked about first. Never throws. */
  readonly onSensitiveCall?: ((tool: string, origin: ChangeOrigin, target: string | null) => Promise<void>) | undefined;
}

/** The signals under which calls run; the reason's message is the result of a call that it ends. */
export interface ToolSignals {
  /** No other call starts, and those that only read are ended. */
  readonly readers: AbortSignal;
  /** Ends those that write, too. */
  readonly writers: AbortSignal;
}

/** A call that the user is asked about, with the effect shown to him. */
type AskedToolCall = PendingCall & AskedCall;

/** Run of one of several calls. */
interface Run {
  readonly signals: ToolSignals;
  readonly results: AnswerWriter;
  /** Characters of its output. */
  readonly most: number;
  /** Part ids of the calls beside it that were approved with it. */
  readonly approved: ReadonlySet<string>;
  /** One in front of it waits for the user, and has not run yet. */
  readonly isAhead: boolean;
}

/** Decisions on calls that had to ask, made in advance by the sender of the message. */
const ALLOWED: ToolDecision = { approved: true, reason: null, effect: null };
const REFUSED: ToolDecision = {
  approved: false,
  reason: 'The sender of this message allows no calls that need approval, so it was not done.',
  effect: null,
};

/** Newest changes of a turn that are looked at, to find out how many things it has changed. */
const MAX_CHANGES = 500;

const NOT_FOR_SENDER = 'Not done: the sender of this message may not read or change the site in this way.';

const ASKS_BY_NOW =
  'Not done: behind the calls before it, it would do what the user has to agree to. Make the call again, alone.';

/** Runs the calls of one turn's steps and stores each result as it finishes, those of a step in one tool message. */
export class ToolRunner {
  readonly #deps: ToolRunnerDependencies;
  readonly #session: Session;
  readonly #turn: Turn;
  readonly #publish: (chunk: UIMessageChunk) => void;
  /** Policy for calls that have to ask; messages sent while the turn runs may tighten it. */
  approvalPolicy: ApprovalPolicy;
  /** Rights of the senders of the turn's messages; messages sent while it runs may tighten them. */
  scopes: readonly Scope[];
  /** Counts repeated calls of the turn. */
  readonly repeated = new RepeatedCalls();
  #hasEnded = false;
  #sights: Promise<Sights> | undefined;
  /** The calls that wait for the user, and where the results of their step are. */
  #asked: { readonly calls: readonly AskedToolCall[]; readonly results: AnswerWriter } | null = null;

  constructor(
    dependencies: ToolRunnerDependencies,
    { session, turn, publish }: { session: Session; turn: Turn; publish: (chunk: UIMessageChunk) => void },
  ) {
    this.#deps = dependencies;
    this.#session = session;
    this.#turn = turn;
    this.#publish = publish;
    this.approvalPolicy = turn.approvalPolicy;
    this.scopes = turn.scopes;
  }

  /**
   * Runs a step's calls, all but those that the user has to agree to. Where the sender of the message has said what
   * becomes of those, none waits; nobody is asked about what cannot be done.
   * @param present the step's tool message, where some of its calls were run before
   * @returns the calls that wait
   */
  async run(made: readonly PendingCall[], signals: ToolSignals, present?: Message): Promise<readonly AskedCall[]> {
    const results = this.#resultWriter(present);
    this.#hasEnded = false;
    const calls: PendingCall[] = [];
    const load = (name: string) => this.#deps.loadTool(this.#session.id, name);
    // Before any is loaded, so that none of the same step goes for it.
    await this.#deps.noteUse(
      this.#session.id,
      made.map(({ toolName }) => toolName),
    );
    for (const call of made) {
      const meant = callAsMeant(call, this.#toolbox);
      const known = call.decision ? asDecided(meant, this.#toolbox) : meant;
      calls.push(await loadCalledTool(known, this.#toolbox, load));
    }
    const asking = new Map((await this.#asking(calls, signals)).map((each) => [each.call, each]));
    if (this.approvalPolicy !== 'ask') {
      const decision = this.approvalPolicy === 'allow' ? ALLOWED : REFUSED;
      await this.#runAll(
        calls.map((call) => (asking.has(call) ? { ...call, decision } : call)),
        signals,
        results,
      );
      return [];
    }
    const first = calls.findIndex((call) => asking.has(call));
    await this.#runAll(
      calls.filter((call) => !asking.has(call)),
      signals,
      results,
      first === -1 ? [] : calls.slice(first),
    );
    // What the user is shown is how things are now, behind the calls that have run.
    const asked: AskedToolCall[] = [];
    for (const { call, isForBulk } of asking.values()) {
      const { effect, refusal } = await this.#effectOf(call, signals);
      if (signals.readers.aborted) break;
      asking.delete(call);
      // One of many may build on what those in front of it will have made.
      if (refusal === null || isForBulk) asked.push({ ...call, effect: isForBulk ? asOneOfMany(effect) : effect });
      else await this.#store(call, refusedCall(call, refusal), results);
    }
    if (signals.readers.aborted) {
      await this.#runAll([...asked, ...asking.keys()], signals, results);
      return [];
    }
    this.#asked = { calls: asked, results };
    return asked;
  }

  /** Asks the chat about the calls that wait: once a decision can be taken, not before. */
  ask(): void {
    for (const call of this.#asked?.calls ?? []) this.#publish(approvalRequest(call));
  }

  /** Answers the calls that were to wait, without asking. */
  async refuseAsked(why: string): Promise<void> {
    if (this.#asked) await this.#refuse(this.#asked.calls, why, this.#asked.results);
  }

  /** Answers calls without running them. */
  async refuse(calls: readonly PendingCall[], why: string): Promise<void> {
    await this.#refuse(calls, why, this.#resultWriter());
  }

  /** A call has run behind which the user speaks next; one that was refused is no such call. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get #toolbox(): Toolbox {
    return this.#deps.toolboxOf(this.#session.id);
  }

  async #refuse(calls: readonly PendingCall[], why: string, results: AnswerWriter): Promise<void> {
    for (const call of calls) await this.#store(call, refusedCall(call, why), results);
  }

  #asking(calls: readonly PendingCall[], signals: ToolSignals): Promise<readonly AskingCall[]> {
    const allowed = calls.filter(({ toolName }) => this.#isAllowed(this.#toolbox.find(toolName)));
    return callsThatAsk(allowed, {
      toolbox: this.#toolbox,
      settings: this.#deps.settings(),
      scopes: this.scopes,
      effectOf: async (call) => (await this.#effectOf(call, signals)).effect,
      asks: (call, tool) => asksByItself(call, tool, this.#effectContext(call), this.#deps.onFault),
      changedSoFar: () => this.#changedSoFar(),
    });
  }

  /** Since the user last agreed to something: what that was is not counted against the turn once more. */
  async #changedSoFar(): Promise<readonly string[]> {
    const { content } = this.#deps.site;
    const changes = await content.changes({ sessionId: this.#session.id, turnId: this.#turn.id, limit: MAX_CHANGES });
    const made = new Set(changes.filter(({ action }) => action === 'create').map(({ targetId }) => targetId));
    const agreed = changes.findIndex(({ origin }) => origin.approvalId !== undefined);
    const unasked = agreed === -1 ? changes : changes.slice(0, agreed);
    return [...new Set(unasked.map(({ targetId }) => targetId))].filter((id) => !made.has(id));
  }

  /** A tool that there is none of is refused where it is called, in its own words. */
  #isAllowed(tool: Tool | undefined): boolean {
    return tool === undefined || isToolFor(this.scopes, tool);
  }

  /** Its effect may have changed since it was asked whether it asks: calls in front of it have run. */
  async #asksByNow(call: PendingCall, tool: Tool): Promise<boolean> {
    const isSettled = call.decision !== undefined || call.error !== undefined || this.approvalPolicy === 'allow';
    if (isSettled || !tool.asks || isDecided(tool, this.#deps.settings().toolPolicies, this.scopes)) return false;
    return asksByItself(call, tool, this.#effectContext(call), this.#deps.onFault);
  }

  #effectOf(call: PendingCall, { readers: signal }: ToolSignals): Promise<CallEffect> {
    const tool = this.#toolbox.find(call.toolName);
    return effectOf(call, tool, this.#effectContext(call), { signal, onFault: this.#deps.onFault });
  }

  #effectContext(call: PendingCall): EffectContext {
    const { site, attachments } = this.#deps;
    return { content: site.content, origin: this.#originOf(call), files: attachments.filesOf(this.#session.id) };
  }

  #originOf({ partId, toolCallId, decision }: PendingCall): ChangeOrigin {
    const approvalId = decision?.approved ? { approvalId: partId } : {};
    const { id: sessionId, ownerId: userId } = this.#session;
    return { actor: 'assistant', userId, sessionId, turnId: this.#turn.id, toolCallId, ...approvalId };
  }

  /** @param ahead those that run before one in front of them, which waits for the user */
  async #runAll(
    calls: readonly PendingCall[],
    signals: ToolSignals,
    results: AnswerWriter,
    ahead: readonly PendingCall[] = [],
  ): Promise<void> {
    const { toolOutputLimit, toolReservedChars, toolExecution } = this.#deps.settings();
    let chars = toolOutputLimit;
    let behind = calls.length;
    const approved = new Set(calls.filter(({ decision }) => decision?.approved).map(({ partId }) => partId));
    // What the calls before it returned must not cost a call its ids.
    const reserve = Math.min(toolReservedChars, Math.floor(chars / calls.length));
    for (const group of toolExecution === 'parallel'
      ? groupReaders(calls, this.#toolbox)
      : calls.map((call) => [call])) {
      behind -= group.length;
      const share = Math.floor((chars - reserve * behind) / group.length);
      const used = await allDone(
        group.map((call) =>
          this.#runOne(call, { signals, results, most: share, approved, isAhead: ahead.includes(call) }),
        ),
      );
      chars -= used.reduce((sum, count) => sum + count, 0);
    }
  }

  /** @returns the characters of its output, at most `most` (an error's few words apart) */
  async #runOne(call: PendingCall, run: Run): Promise<number> {
    const made = await this.#resultOf(call, run);
    const result = run.isAhead ? saidAhead(made) : made;
    await this.#store(call, result, run.results);
    return toolOutputText(result.content.output).length;
  }

  async #resultOf(call: PendingCall, { signals, most, approved }: Run): Promise<ToolResult> {
    if (signals.readers.aborted) return refusedCall(call, (signals.readers.reason as Error).message);
    const { toolMaxOutputChars: maxChars, toolTimeoutMs: timeoutMs, toolPolicies, ...limits } = this.#deps.settings();
    const tool = this.#toolbox.find(call.toolName);
    if (tool && policyOf(toolPolicies, tool) === 'off') {
      return refusedCall(call, `The tool ${call.toolName} is switched off.`);
    }
    if (!this.#isAllowed(tool)) return refusedCall(call, NOT_FOR_SENDER);
    if (tool && (await this.#asksByNow(call, tool))) return refusedCall(call, ASKS_BY_NOW);
    const { messages, site, attachments, historyOf, wishesOf, onFault } = this.#deps;
    const { content } = site;
    const { id: sessionId, modelId } = this.#session;
    const origin = this.#originOf(call);
    const isUsers = call.decision?.approved === true && call.decision !== ALLOWED;
    const check =
      tool && isUsers && (await checkApproval(call, tool, this.#effectContext(call), { approved, onFault }));
    if (check && check.refusal !== null) return refusedCall(call, check.refusal);
    await messages.updatePart(call.partId, { state: 'running' });
    const signal = tool?.writes ? signals.writers : signals.readers;
    const files = attachments.filesOf(sessionId);
    const sights = await (this.#sights ??= this.#deps.seenIn(sessionId).then((seen) => new Sights(seen)));
    const seen = new Map<string, number>();
    const noteSeen = (key: string, revision: number) => {
      sights.note(key, revision);
      seen.set(key, revision);
    };
    // What somebody else agreed to, who may, is done with their right.
    const allowed = isUsers ? content : contentFor(content, this.scopes);
    const context = {
      siteId: site.id,
      content: guardedContent(allowed, sights, noteSeen, this.#deps.writersIn),
      noteSeen,
      files,
      history: historyOf(sessionId, this.#turn.id),
      wishes: wishesOf(sessionId, this.#turn.modelId ?? modelId),
      origin,
      ifRevision: check ? check.ifRevision : undefined,
      signal,
    };
    const effects = {
      limits: { ...limits, maxChars, timeoutMs, most },
      keepFile: (bytes: Uint8Array, filename: string) => attachments.keep(sessionId, filename, bytes),
      onFault,
    };
    const result = await runToolCall(call, this.#toolbox, context, effects);
    if (tool && isSensitive(tool, call) && result.state === 'completed')
      await this.#deps.onSensitiveCall?.(tool.name, origin, targetOf(call));
    if (seen.size === 0) return result;
    return { ...result, content: { ...result.content, seen: Object.fromEntries(seen) } };
  }

  async #store(call: PendingCall, made: ToolResult, results: AnswerWriter): Promise<void> {
    const result = this.repeated.add(call, made);
    await results.addPart(result);
    this.#hasEnded ||= result.state === 'completed' && this.#toolbox.find(call.toolName)?.endsTurn === true;
    await this.#deps.messages.updatePart(call.partId, { state: result.state === 'error' ? 'error' : 'completed' });
    for (const chunk of toolResultChunks(call.partId, call.toolCallId, result.content)) this.#publish(chunk);
  }

  #resultWriter(present?: Message): AnswerWriter {
    const draft = { role: 'tool', parentId: this.#turn.userMessageId, turnId: this.#turn.id } as const;
    return new AnswerWriter(this.#deps.messages, this.#session.id, draft, present?.id);
  }
}

/** A call that failed may have needed one in front of it that asks for approval: it is told that it ran before that. */
function saidAhead(result: ToolResult): ToolResult {
  const { output } = result.content;
  if (output.type !== 'error-text') return result;
  return withTokens({ ...result, content: { ...result.content, output: withNote(output, RAN_AHEAD) } });
}

const RAN_AHEAD =
  'This call ran before the ones in front of it that need approval. If it builds on one of them, make it again once that has run.';

/** Returns whether a call needs approval, or would by its tool's default. */
export function isSensitive({ writes = false, policy = 'always' }: Tool, { decision }: PendingCall): boolean {
  if (decision?.approved === false) return false;
  return writes && (policy !== 'always' || decision !== undefined);
}

/** Names the target of a call; null where the call does not name one. */
export function targetOf({ decision, input }: PendingCall): string | null {
  const titles = decision?.effect?.targets.map(({ title }) => title) ?? [];
  if (titles.length > 0) return titles.join(', ');
  const ref = typeof input === 'object' && input !== null && 'ref' in input ? input['ref'] : null;
  return typeof ref === 'string' ? ref : null;
}

/** The effect of a call about which the user is asked because of those beside it. */
function asOneOfMany(effect: ToolEffect | null): ToolEffect | null {
  const why = 'Asked because many things would be changed in one turn.';
  return effect && { ...effect, warnings: [why, ...effect.warnings] };
}

/** Waits for all of them, also when one fails. @throws what the first of those said */
async function allDone<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Calls that only read and stand side by side run together; one that writes runs alone, in its place. */
function groupReaders(calls: readonly PendingCall[], toolbox: Toolbox): PendingCall[][] {
  const groups: PendingCall[][] = [];
  let open: PendingCall[] | null = null;
  for (const call of calls) {
    const isReader = !toolbox.find(call.toolName)?.writes;
    if (isReader && open) open.push(call);
    else groups.push((open = [call]));
    if (!isReader) open = null;
  }
  return groups;
}
