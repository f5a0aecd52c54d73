import { withTokens } from '#server/context/part-tokens';
import { AnswerWriter } from '#server/conversation/step/answer-writer';
import { isSensitive, targetOf } from '#server/conversation/step/call-effects';
import { RepeatedCalls, withNote } from '#server/conversation/step/repeated-calls';
import {
  applyDecision,
  loadCalledTool,
  normalizeToolInput,
  type PendingCall,
  refusedCall,
  runToolCall,
  type ToolResult,
} from '#server/conversation/step/run-tool-call';
import { policyOf } from '#server/conversation/step/toolboxes';
import { toolResultChunks } from '#server/conversation/step/ui-messages';
import { createHistoryReader } from '#server/conversation/step/history-reader';
import { createHistoryLines } from '#server/conversation/store/search/history-reading';
import {
  Approvals,
  asOneOfMany,
  isAllowed,
  isApprovedByUser,
  type WaitingCall,
  withDecisionInAdvance,
} from '#server/conversation/turn/approvals';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import type { RunningTurn, TurnPermissions } from '#server/conversation/turn/running-turn';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { approvalIdOf } from '#server/core/conversation/approvals';
import type { Message } from '#server/core/conversation/messages';
import { toolOutputText } from '#server/core/conversation/part-types/tool-output';
import type { AskedCall } from '#server/core/conversation/turn-store';
import { SeenRevisions } from '#server/core/site/write-checks/seen-revisions';
import { GuardedSite } from '#server/tools/stale-read-guard';
import { contentFor, mustFinish, type Toolbox } from '#server/tools/tool';
import { allDone } from '#server/core/async';
import type { CodedMessage, ServerText } from '#server/core/coded-message';

/** The signals under which calls run; the message of the reason becomes the result of a call that it ends. */
export interface ToolSignals {
  /** Prevents further calls from starting, and ends those that only read. */
  readonly readers: AbortSignal;
  /** Also ends those that write. */
  readonly writers: AbortSignal;
}

/** Options for running the calls of a step. */
interface StepRun {
  readonly permissions: TurnPermissions;
  readonly signals: ToolSignals;
  readonly results: AnswerWriter;
}

/** Options for running one of several calls. */
interface CallRun extends StepRun {
  /** Maximum characters of its output. */
  readonly most: number;
  /** Part ids of the calls that were approved together with it. */
  readonly approved: ReadonlySet<string>;
  /** True if an earlier call of the step waits for the user and has not run yet. */
  readonly isAhead: boolean;
}

const NOT_FOR_SENDER = 'Not done: the sender of this message may not read or change the site in this way.';

const ASKS_BY_NOW =
  'Not done: behind the calls before it, it would do what the user has to agree to. Make the call again, alone.';

/**
 * Runs the calls of one turn's steps and stores each result when it finishes, all results of a step in one tool
 * message.
 */
export class ToolRunner {
  readonly #context: ConversationContext;
  readonly #run: RunningTurn;
  readonly #approvals: Approvals;
  /** Counts repeated calls of the turn. */
  readonly #repeated = new RepeatedCalls();
  #hasEnded = false;
  #sights: Promise<SeenRevisions> | undefined;

  constructor(context: ConversationContext, run: RunningTurn) {
    this.#context = context;
    this.#run = run;
    this.#approvals = new Approvals(context, run);
  }

  /**
   * Runs a step's calls except those that need the user's approval. If the sender of the message decided about these in
   * advance, none waits; no approval is requested for an impossible call.
   * @param present the step's tool message, if some of its calls have run before
   * @returns the calls that wait
   */
  async run(
    made: readonly PendingCall[],
    permissions: TurnPermissions,
    signals: ToolSignals,
    present?: Message,
  ): Promise<readonly AskedCall[]> {
    const { readers } = signals;
    const step: StepRun = { permissions, signals, results: this.#resultWriter(present) };
    this.#hasEnded = false;
    const calls = await this.#prepared(made);
    const needed = await this.#approvals.needed(calls, this.#toolbox, permissions, readers);
    const asking = new Map(needed.map((each) => [each.call, each]));
    if (permissions.approvalPolicy !== 'ask') {
      await this.#runAll(
        calls.map((call) => (asking.has(call) ? withDecisionInAdvance(call, permissions) : call)),
        step,
      );
      return [];
    }
    const first = calls.findIndex((call) => asking.has(call));
    await this.#runAll(
      calls.filter((call) => !asking.has(call)),
      step,
      first === -1 ? [] : calls.slice(first),
    );
    // The user is shown the current effect, after the calls that have run.
    const waiting: WaitingCall[] = [];
    for (const { call, isForBulk } of asking.values()) {
      const { effect, refusal } = await this.#approvals.effectOf(call, this.#toolbox.find(call.toolName), readers);
      if (readers.aborted) break;
      asking.delete(call);
      // One of many calls may depend on the results of the earlier ones.
      if (refusal === null || isForBulk) waiting.push({ ...call, effect: isForBulk ? asOneOfMany(effect) : effect });
      else await this.#store(call, refusedCall(call, refusal), step.results);
    }
    if (readers.aborted) {
      await this.#runAll([...waiting, ...asking.keys()], step);
      return [];
    }
    this.#approvals.wait(waiting, step.results);
    return waiting;
  }

  /** Shows the approval requests in the chat. Call it only when a decision can be accepted. */
  showRequests(): void {
    this.#approvals.show();
  }

  /** Refuses the calls that would wait, without asking. */
  async refuseWaiting(why: string): Promise<void> {
    const { waiting } = this.#approvals;
    if (waiting) await this.#refuse(waiting.calls, why, waiting.results);
  }

  /** Stores refusals as results of calls without running them. */
  async refuse(calls: readonly PendingCall[], why: string): Promise<void> {
    await this.#refuse(calls, why, this.#resultWriter());
  }

  /** Call it when all results of a step are stored. @returns the reason to end the turn; null: the turn continues */
  endStep(): ServerText | null {
    return this.#repeated.endStep();
  }

  /** True if a call has run that hands the turn to the user; a refused call does not count. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get #toolbox(): Toolbox {
    return this.#context.toolboxes.of(this.#run.session.id);
  }

  /** The calls with normalized input; tools that are only offered on demand are loaded. */
  async #prepared(made: readonly PendingCall[]): Promise<readonly PendingCall[]> {
    const { toolboxes } = this.#context;
    const { id } = this.#run.session;
    const load = async (name: string) => (await toolboxes.load(id, [name])).putAway;
    // Recorded before any tool is loaded, so that no tool of the same step is removed for it.
    await toolboxes.noteUse(
      id,
      made.map(({ toolName }) => toolName),
    );
    const calls: PendingCall[] = [];
    for (const call of made) {
      const meant = normalizeToolInput(call, this.#toolbox);
      const known = call.decision ? applyDecision(meant, this.#toolbox) : meant;
      calls.push(await loadCalledTool(known, this.#toolbox, load));
    }
    return calls;
  }

  async #refuse(calls: readonly PendingCall[], why: string, results: AnswerWriter): Promise<void> {
    for (const call of calls) await this.#store(call, refusedCall(call, why), results);
  }

  /** @param ahead calls that run before an earlier call, which waits for the user */
  async #runAll(calls: readonly PendingCall[], step: StepRun, ahead: readonly PendingCall[] = []): Promise<void> {
    const { toolOutputLimit, toolReservedChars, toolExecution } = this.#context.settings.current();
    let chars = toolOutputLimit;
    let behind = calls.length;
    const approved = new Set(calls.filter(({ decision }) => decision?.approved).map(({ partId }) => partId));
    // Outputs of earlier calls must not leave too little for the ids in a later one.
    const reserve = Math.min(toolReservedChars, Math.floor(chars / calls.length));
    for (const group of toolExecution === 'parallel'
      ? groupReaders(calls, this.#toolbox)
      : calls.map((call) => [call])) {
      behind -= group.length;
      const share = Math.floor((chars - reserve * behind) / group.length);
      const used = await allDone(
        group.map((call) => this.#runOne(call, { ...step, most: share, approved, isAhead: ahead.includes(call) })),
      );
      chars -= used.reduce((sum, count) => sum + count, 0);
    }
  }

  /** @returns the characters of its output, at most `most` (except for the short text of an error) */
  async #runOne(call: PendingCall, run: CallRun): Promise<number> {
    const made = await this.#resultOf(call, run);
    const result = run.isAhead ? saidAhead(made) : made;
    await this.#store(call, result, run.results);
    return toolOutputText(result.content.output).length;
  }

  async #resultOf(call: PendingCall, { permissions, signals, most, approved }: CallRun): Promise<ToolResult> {
    const { messages, session } = this.#run;
    if (signals.readers.aborted) return refusedCall(call, (signals.readers.reason as Error).message);
    const { toolMaxOutputChars: maxChars, toolTimeoutMs: timeoutMs, ...limits } = this.#context.settings.current();
    const tool = this.#toolbox.find(call.toolName);
    if (tool && policyOf(limits.toolPolicies, tool) === 'off') {
      return refusedCall(call, `The tool ${call.toolName} is switched off.`);
    }
    if (!isAllowed(tool, permissions.scopes)) return refusedCall(call, NOT_FOR_SENDER);
    if (tool && (await this.#approvals.isNeededNow(call, tool, permissions))) return refusedCall(call, ASKS_BY_NOW);
    const check = tool ? await this.#approvals.check(call, tool, approved) : null;
    if (check && check.refusal !== null) return refusedCall(call, check.refusal);
    const seen = new Map<string, number>();
    const noted: { summary?: CodedMessage } = {};
    const noteSummary = (summary: CodedMessage | null) => {
      if (summary !== null) noted.summary = summary;
    };
    const signal = tool && mustFinish(tool) ? signals.writers : signals.readers;
    const [reach] = await allDone([
      this.#reachOf(call, permissions, seen),
      messages.updatePart(call.partId, { state: 'running' }),
    ]);
    const context = { ...reach, noteSummary, ifRevision: check?.ifRevision, signal };
    const { attachments, audit, onFault } = this.#context;
    const result = await runToolCall(call, this.#toolbox, context, {
      limits: { ...limits, maxChars, timeoutMs, most },
      keepFile: (bytes, filename) => attachments.keep(session.id, filename, bytes),
      onFault,
    });
    if (tool && isSensitive(tool, call) && result.state === 'completed')
      await audit.recordTool(tool.name, context.origin, targetOf(call));
    const read = seen.size > 0 && { seen: Object.fromEntries(seen) };
    return { ...result, content: { ...result.content, ...noted, ...read } };
  }

  /** What a call can reach. @param seen receives what its result shows the model, with the revision of each */
  async #reachOf(call: PendingCall, { scopes }: TurnPermissions, seen: Map<string, number>) {
    const { site, session, turn } = this.#run;
    const { database, history, attachments, preferences, sites } = this.#context;
    this.#sights ??= this.#context.messages.seenIn(session.id).then((revisions) => new SeenRevisions(revisions));
    const sights = await this.#sights;
    const noteSeen = (key: string, revision: number) => {
      sights.note(key, revision);
      seen.set(key, revision);
    };
    // A call that another authorized person approved runs with that person's rights.
    const rights = isApprovedByUser(call) ? scopesOfRole.editor : scopes;
    const content = contentFor(site.content, rights);
    return {
      siteId: site.id,
      scopes: rights,
      content: new GuardedSite(content, {
        writersIn: (entryId) => sites.presence.writersIn(entryId),
        seen: sights,
        note: noteSeen,
      }),
      noteSeen,
      files: attachments.filesOf(session.id),
      history: createHistoryReader(history, createHistoryLines(database, session.id, turn.id), session.id, turn.id),
      wishes: preferences.of(session.id, turn.modelId ?? session.modelId),
      origin: this.#approvals.originOf(call),
    };
  }

  async #store(call: PendingCall, made: ToolResult, results: AnswerWriter): Promise<void> {
    const result = this.#repeated.add(call, made);
    // Requested together, so that they are stored in one transaction; the result comes first.
    const added = results.addPart(result);
    const state = result.state === 'error' ? 'error' : 'completed';
    await allDone([added, this.#run.messages.updatePart(call.partId, { state })]);
    this.#hasEnded ||= result.state === 'completed' && this.#toolbox.find(call.toolName)?.endsTurn === true;
    const approvalId = approvalIdOf(call.partId, call.decision?.effect ?? null);
    for (const chunk of toolResultChunks(approvalId, call.toolCallId, result.content)) this.#run.publish(chunk);
  }

  #resultWriter(present?: Message): AnswerWriter {
    const { messages, session, turn } = this.#run;
    const draft = { role: 'tool', parentId: turn.userMessageId, turnId: turn.id } as const;
    return new AnswerWriter(messages, session.id, draft, present?.id);
  }
}

/**
 * A failed call may have needed an earlier call that waits for approval: the note states that it ran before that one.
 */
function saidAhead(result: ToolResult): ToolResult {
  const { output } = result.content;
  if (output.type !== 'error-text') return result;
  return withTokens({ ...result, content: { ...result.content, output: withNote(output, RAN_AHEAD) } });
}

const RAN_AHEAD =
  'This call ran before the ones in front of it that need approval. If it builds on one of them, make it again once that has run.';

/** Consecutive calls that only read run together; a call that writes runs alone, in its position. */
function groupReaders(calls: readonly PendingCall[], toolbox: Toolbox): PendingCall[][] {
  const groups: PendingCall[][] = [];
  let open: PendingCall[] | null = null;
  for (const call of calls) {
    const tool = toolbox.find(call.toolName);
    const isReader = !tool || !mustFinish(tool);
    if (isReader && open) open.push(call);
    else groups.push((open = [call]));
    if (!isReader) open = null;
  }
  return groups;
}
