import type { CompactionRecord } from '#server/core/compactions';
import type { ContextUsage, PruneData } from '#server/core/events';
import { ConflictError, TooLargeError } from '#server/core/errors';
import type { Message, NewMessage, Session } from '#server/core/messages';
import type { ModelMessage } from '#server/core/model-messages';
import type { ContextManager, PreparedContext } from '#server/context/context-manager';
import { importMessages } from '#server/context/import/import-messages';
import type { ImportedMessages } from '#server/context/import/imported-messages';
import { requireRoom } from '#server/context/require-room';
import type { StrategyName } from '#server/core/strategies';
import type { Turn } from '#server/core/turns';
import { type EventSink, contextEvents } from '#server/agent/context-events';
import { type ContextSources, contextRequest } from '#server/agent/session-context';

export interface ContextServiceDependencies {
  readonly context: ContextManager;
  readonly sources: ContextSources;
  readonly messages: { appendMany(sessionId: string, messages: readonly NewMessage[]): Promise<Message[]> };
  readonly sessions: { update(id: string, changes: { instructions: string | null }): Promise<Session> };
  /** US dollars; null where no provider says it. */
  readonly costOf: (sessionId: string) => Promise<number | null>;
  readonly turns: { running(sessionId: string): Promise<Turn | null> };
  readonly compactions: {
    list(sessionId: string): Promise<CompactionRecord[]>;
    undo(sessionId: string, compactionId: string): Promise<CompactionRecord>;
  };
  readonly events: EventSink;
  /** A compaction has let go of the session: what came meanwhile waits. */
  readonly onFree: (sessionId: string) => void;
}

/** What of a session's context a caller sees. */
export interface InspectedContext {
  readonly usage: ContextUsage;
  /** Exactly what the next step would send. */
  readonly messages: ModelMessage[];
  readonly prunableTokens: number;
}

export interface CompactionCommand {
  /** Default: the one in the settings. */
  readonly strategy?: StrategyName | undefined;
  /** What the summary should pay attention to. */
  readonly instructions?: string | undefined;
}

/** The context engine by session and model id, for callers outside a turn. */
export class ContextService {
  readonly #deps: ContextServiceDependencies;

  constructor(dependencies: ContextServiceDependencies) {
    this.#deps = dependencies;
  }

  /** @throws UnknownModelError */
  async inspect(session: Session, modelId?: string): Promise<InspectedContext> {
    const { usage, ...rest } = await this.#deps.context.inspect(this.#request(session, modelId));
    const total = await this.#deps.costOf(session.id);
    return { usage: { ...usage, cost: { ...usage.cost, total } }, ...rest };
  }

  /**
   * Appends the messages (in any format that `import` reads), then prunes and compacts as a step would.
   * @throws InvalidInputError, UnknownModelError, TooLargeError, ConflictError before anything is stored
   * @throws ContextOverflowError
   */
  async prepare(
    session: Session,
    appended?: readonly unknown[],
    { modelId, strategy }: { modelId?: string | undefined; strategy?: StrategyName | undefined } = {},
  ): Promise<PreparedContext> {
    const request = this.#request(session, modelId, strategy);
    if (appended) {
      const imported = importMessages(appended);
      requireRoom(imported.messages, request.target, this.#deps.sources.settings());
      await this.#append(session, imported);
    }
    return this.#telling(session, () => this.#deps.context.prepare(request));
  }

  prune(session: Session): Promise<PruneData> {
    return this.#telling(session, () => this.#deps.context.prune(this.#request(session), 'manual'));
  }

  /** Null when there is nothing to compact. @throws ConflictError while another compaction runs */
  async compact(
    session: Session,
    { strategy, instructions }: CompactionCommand = {},
  ): Promise<CompactionRecord | null> {
    const request = this.#request(session, undefined, strategy);
    const outcome = await this.#telling(session, () => this.#deps.context.compact(request, instructions));
    if (!outcome) return null;
    const records = await this.#deps.compactions.list(session.id);
    return records.find((record) => record.id === outcome.id) ?? null;
  }

  /**
   * Appends a conversation from elsewhere; its system messages join the session's instructions.
   * @throws InvalidInputError, TooLargeError, ConflictError (a turn runs) before anything is stored
   */
  import(session: Session, input: readonly unknown[]): Promise<Message[]> {
    return this.#append(session, importMessages(input));
  }

  async #append(session: Session, { messages, instructions }: ImportedMessages): Promise<Message[]> {
    if (await this.#deps.turns.running(session.id)) {
      throw new ConflictError('A turn of this conversation is running. Wait for its end, then append messages.');
    }
    const joined = joinInstructions(session.instructions, instructions);
    if (joined !== session.instructions) await this.#deps.sessions.update(session.id, { instructions: joined });
    return this.#deps.messages.appendMany(session.id, messages);
  }

  /** Stops a running compaction: one asked for by hand ends without effect, an automatic one goes on without a model. */
  cancelCompaction(sessionId: string): boolean {
    return this.#deps.context.cancelCompaction(sessionId);
  }

  /** Takes a prune or the newest compaction back. @throws NotFoundError, ConflictError */
  undo(sessionId: string, compactionId: string): Promise<CompactionRecord> {
    return this.#deps.compactions.undo(sessionId, compactionId);
  }

  /** What the engine does is told while it does it; afterwards the new figures are, and the session is free. */
  async #telling<T>(session: Session, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      const { usage } = await this.inspect(session);
      this.#deps.events.emit(session.id, 'context:usage', usage);
      return result;
    } finally {
      this.#deps.onFree(session.id);
    }
  }

  #request(session: Session, modelId?: string, strategy?: StrategyName) {
    const listener = contextEvents(this.#deps.events, session.id);
    return contextRequest(this.#deps.sources, session, modelId, { strategy, listener });
  }
}

/** About 8,000 tokens, sent with every request. */
const MAX_INSTRUCTIONS_CHARS = 32_000;

/** An agent elsewhere may send its instructions with every call: what is known is not added again. */
function joinInstructions(present: string | null, added: string | null): string | null {
  if (added === null || present?.includes(added)) return present;
  const joined = present === null ? added : `${present}\n\n${added}`;
  if (joined.length <= MAX_INSTRUCTIONS_CHARS) return joined;
  throw new TooLargeError('The text of the system messages', MAX_INSTRUCTIONS_CHARS, 'characters');
}
