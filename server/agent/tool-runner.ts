import type { UIMessageChunk } from 'ai';
import type { ContentBackend } from '#server/content/content-backend';
import type { Message, Session } from '#server/core/messages';
import { toolOutputText } from '#server/core/part-text';
import type { Turn } from '#server/core/turns';
import type { ContextSettings } from '#server/context/context-settings';
import { AnswerWriter, type MessageWriter } from '#server/agent/answer-writer';
import { type OnFault, type PendingCall, refusedCall, runToolCall, type ToolResult } from '#server/agent/run-tool-call';
import { policyOf } from '#server/agent/tool-set';
import { toolResultChunks } from '#server/agent/tool-chunks';
import { findTool } from '#server/tools/index';
import type { HistoryReader } from '#server/tools/tool';

export interface ToolRunnerDependencies {
  readonly messages: MessageWriter;
  readonly content: ContentBackend;
  readonly historyOf: (sessionId: string) => HistoryReader;
  readonly settings: () => ContextSettings;
  readonly onFault: OnFault;
}

/** The signals under which calls run; the reason's message is the result of a call that it ends. */
export interface ToolSignals {
  /** No other call starts, and those that only read are ended. */
  readonly readers: AbortSignal;
  /** Ends those that write, too. */
  readonly writers: AbortSignal;
}

/** Runs the calls of one turn's steps and stores each result as it finishes, those of a step in one tool message. */
export class ToolRunner {
  readonly #deps: ToolRunnerDependencies;
  readonly #session: Session;
  readonly #turn: Turn;
  readonly #publish: (chunk: UIMessageChunk) => void;
  /** The calls that wait for the user, and where the results of their step are. */
  #asked: { readonly calls: readonly PendingCall[]; readonly results: AnswerWriter } | null = null;

  constructor(
    dependencies: ToolRunnerDependencies,
    { session, turn, publish }: { session: Session; turn: Turn; publish: (chunk: UIMessageChunk) => void },
  ) {
    this.#deps = dependencies;
    this.#session = session;
    this.#turn = turn;
    this.#publish = publish;
  }

  /**
   * Runs a step's calls, all but those that the user has to agree to.
   * @param present the step's tool message, where some of its calls were run before
   * @returns the part ids of the calls that wait
   */
  async run(calls: readonly PendingCall[], signals: ToolSignals, present?: Message): Promise<readonly string[]> {
    const results = this.#resultWriter(present);
    const asked = calls.filter((call) => this.#mustAsk(call));
    await this.#runAll(
      calls.filter((call) => !asked.includes(call)),
      signals,
      results,
    );
    if (signals.readers.aborted) {
      await this.#runAll(asked, signals, results);
      return [];
    }
    this.#asked = { calls: asked, results };
    return asked.map((call) => call.partId);
  }

  /** Asks the chat about the calls that wait: once a decision can be taken, not before. */
  ask(): void {
    for (const { partId, toolCallId } of this.#asked?.calls ?? []) {
      this.#publish({ type: 'tool-approval-request', approvalId: partId, toolCallId });
    }
  }

  /** Answers the calls that were to wait, without asking. */
  async refuseAsked(why: string): Promise<void> {
    if (this.#asked) await this.#refuse(this.#asked.calls, why, this.#asked.results);
  }

  /** Answers calls without running them. */
  async refuse(calls: readonly PendingCall[], why: string): Promise<void> {
    await this.#refuse(calls, why, this.#resultWriter());
  }

  async #refuse(calls: readonly PendingCall[], why: string, results: AnswerWriter): Promise<void> {
    for (const call of calls) await this.#store(call, refusedCall(call, why), results);
  }

  #mustAsk(call: PendingCall): boolean {
    if (call.decision !== undefined || call.error !== undefined || !findTool(call.toolName)) return false;
    return policyOf(this.#deps.settings().toolPolicies, call.toolName) === 'ask';
  }

  async #runAll(calls: readonly PendingCall[], signals: ToolSignals, results: AnswerWriter): Promise<void> {
    const { toolOutputLimit, toolReservedChars, toolExecution } = this.#deps.settings();
    let chars = toolOutputLimit;
    let behind = calls.length;
    // What the calls before it returned must not cost a call its ids.
    const reserve = Math.min(toolReservedChars, Math.floor(chars / calls.length));
    for (const group of toolExecution === 'parallel' ? groupReaders(calls) : calls.map((call) => [call])) {
      behind -= group.length;
      const share = Math.floor((chars - reserve * behind) / group.length);
      const used = await allDone(group.map((call) => this.#runOne(call, signals, results, share)));
      chars -= used.reduce((sum, count) => sum + count, 0);
    }
  }

  /** @returns the characters of its output, at most `most` (an error's few words apart) */
  async #runOne(call: PendingCall, signals: ToolSignals, results: AnswerWriter, most: number): Promise<number> {
    const result = await this.#resultOf(call, signals, most);
    await this.#store(call, result, results);
    return toolOutputText(result.content.output).length;
  }

  async #resultOf(call: PendingCall, signals: ToolSignals, most: number): Promise<ToolResult> {
    if (signals.readers.aborted) return refusedCall(call, (signals.readers.reason as Error).message);
    const { toolMaxOutputChars: maxChars, toolTimeoutMs: timeoutMs, toolPolicies, ...limits } = this.#deps.settings();
    if (policyOf(toolPolicies, call.toolName) === 'off') {
      return refusedCall(call, `The tool ${call.toolName} is switched off.`);
    }
    const { messages, content, historyOf, onFault } = this.#deps;
    await messages.updatePart(call.partId, { state: 'running' });
    const { id: sessionId } = this.#session;
    const { toolCallId } = call;
    const origin = { actor: 'assistant', sessionId, turnId: this.#turn.id, toolCallId } as const;
    const signal = findTool(call.toolName)?.writes ? signals.writers : signals.readers;
    const context = { content, history: historyOf(sessionId), origin, signal };
    return runToolCall(call, context, { ...limits, maxChars, timeoutMs, most }, onFault);
  }

  async #store(call: PendingCall, result: ToolResult, results: AnswerWriter): Promise<void> {
    await results.addPart(result);
    await this.#deps.messages.updatePart(call.partId, { state: result.state === 'error' ? 'error' : 'completed' });
    const { output } = result.content;
    for (const chunk of toolResultChunks(call.partId, call.toolCallId, output)) this.#publish(chunk);
  }

  #resultWriter(present?: Message): AnswerWriter {
    const draft = { role: 'tool', parentId: this.#turn.userMessageId, turnId: this.#turn.id } as const;
    return new AnswerWriter(this.#deps.messages, this.#session.id, draft, present?.id);
  }
}

/** Waits for all of them, also when one fails. @throws what the first of those said */
async function allDone<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Calls that only read and stand side by side run together; one that writes runs alone, in its place. */
function groupReaders(calls: readonly PendingCall[]): PendingCall[][] {
  const groups: PendingCall[][] = [];
  let open: PendingCall[] | null = null;
  for (const call of calls) {
    const isReader = !findTool(call.toolName)?.writes;
    if (isReader && open) open.push(call);
    else groups.push((open = [call]));
    if (!isReader) open = null;
  }
  return groups;
}
