import type { Scope } from '#server/core/access-rights';
import type { Attachments } from '#server/agent/attachments';
import { type CompactionSource, readCompactionDetail } from '#server/agent/compaction-detail';
import { contextRequest, type ContextSources, instructionsOf, toolboxFor } from '#server/agent/session-context';
import type { KeptWishes } from '#server/agent/kept-wishes';
import type { EventSink } from '#server/agent/session-events';
import { contextEvents } from '#server/agent/context-events';
import type { ContextManager, PreparedContext } from '#server/context/context-manager';
import { requireRoom } from '#server/context/context-snapshot';
import { isCancellation } from '#server/context/write-summary';
import { importMessages } from '#server/conversations/import-messages';
import type { ImportedMessages } from '#server/conversations/imported-messages';
import type { CompactionRecord, StrategyName } from '#server/core/compactions';
import type { CompactionDetail, NextRequest } from '#server/core/context-report';
import { CancelledError, ConflictError, TooLargeError } from '#server/core/errors';
import type { ContextUsage, PruneData } from '#server/core/events';
import type { Message, NewMessage } from '#server/core/messages';
import type { Adopted, Session } from '#server/core/sessions';
import type { Turn } from '#server/core/turns';
import type { ModelMessage } from '#server/core/model-messages';

export interface ContextServiceDependencies {
  readonly context: ContextManager;
  readonly sources: ContextSources;
  readonly attachments: Pick<Attachments, 'expand' | 'adopt' | 'adoptResults'>;
  readonly messages: CompactionSource['messages'] & {
    appendMany(sessionId: string, messages: readonly NewMessage[], adopted: Adopted): Promise<Message[]>;
  };
  readonly wishes: Pick<KeptWishes, 'adoptable' | 'tell'>;
  /** US dollars; null where no provider says it. */
  readonly costOf: (sessionId: string) => Promise<number | null>;
  readonly turns: { running(sessionId: string): Promise<Turn | null> };
  readonly compactions: CompactionSource['compactions'] & {
    undo(sessionId: string, compactionId: string): Promise<CompactionRecord>;
    cancel(sessionId: string): Promise<boolean>;
  };
  readonly events: EventSink;
  /** Called when a compaction or an import lets go of the session: messages that came meanwhile are waiting. */
  readonly onFree: (sessionId: string) => void;
}

/** The context of a session as a caller sees it. */
export interface InspectedContext {
  readonly usage: ContextUsage;
  /** Exactly what the next step would send. */
  readonly messages: ModelMessage[];
  readonly prunableTokens: number;
}

export interface CompactionCommand {
  /** Default: the one in the settings. */
  readonly strategy?: StrategyName | undefined;
  /** Points that the summary should pay attention to. */
  readonly instructions?: string | undefined;
  /** Ends it without effect. */
  readonly signal?: AbortSignal | undefined;
}

/** What an exported conversation says of itself. */
export interface ExportedSession {
  readonly title?: string | undefined;
  readonly instructions?: string | null | undefined;
  /** Lasting wishes of its user, word for word. */
  readonly quotes?: readonly string[];
}

export interface ImportedConversation {
  readonly messages: readonly Message[];
  /** How many of its wishes are kept that were not kept before. */
  readonly wishes: number;
  /** How many of them nobody said, or had no room. */
  readonly wishesLeft: number;
}

/** The context engine by session and model id, for callers outside a turn. */
export class ContextService {
  readonly #deps: ContextServiceDependencies;

  constructor(dependencies: ContextServiceDependencies) {
    this.#deps = dependencies;
  }

  /** @throws UnknownModelError */
  async inspect(session: Session, modelId?: string): Promise<InspectedContext> {
    const { usage, ...rest } = await this.#deps.context.inspect(await this.#request(session, modelId));
    const total = await this.#deps.costOf(session.id);
    return { usage: { ...usage, cost: { ...usage.cost, total } }, ...rest };
  }

  /**
   * Exactly what the next step would send, as the context stands, with what each piece costs. @throws UnknownModelError
   */
  async nextRequest(session: Session, modelId?: string, scopes?: readonly Scope[]): Promise<NextRequest> {
    const { context, sources, attachments } = this.#deps;
    const asked = await this.#request(session, modelId, undefined, undefined, scopes);
    const { usage, request } = await context.itemize(asked, (messages) => attachments.expand(session.id, messages));
    const { modelId: model, breakdown } = usage;
    const offered = toolboxFor(sources, session.id, asked.target, scopes).tools;
    return {
      modelId: model,
      tokens: request.tokens,
      instructions: { text: instructionsOf(sources, session, scopes), tokens: breakdown.instructions },
      tools: { names: offered.map(({ name }) => name), tokens: breakdown.tools },
      messages: request.messages,
    };
  }

  /** Instructions of the next step, for whoever has these scopes. */
  async instructions(session: Session, scopes: readonly Scope[]): Promise<string> {
    const { sources } = this.#deps;
    await sources.standing.refresh(session.siteId);
    return instructionsOf(sources, session, scopes);
  }

  /**
   * Appends the messages (in any format that `import` reads), then prunes and compacts as a step would.
   * @throws InvalidInputError, UnknownModelError, TooLargeError, ConflictError before anything is stored
   * @throws ContextOverflowError
   */
  async prepare(
    session: Session,
    appended?: readonly unknown[],
    {
      modelId,
      strategy,
      signal,
    }: {
      modelId?: string | undefined;
      strategy?: StrategyName | undefined;
      signal?: AbortSignal | undefined;
    } = {},
  ): Promise<PreparedContext> {
    const request = await this.#request(session, modelId, strategy, signal);
    if (appended) {
      const imported = await importMessages(appended);
      requireRoom(imported.messages, request.target, this.#deps.sources.settings());
      await this.#append(session, imported, 'adoptResults');
    }
    return this.#telling(session, () => this.#deps.context.prepare(request));
  }

  prune(session: Session): Promise<PruneData> {
    return this.#telling(session, async () => {
      const { usage: _, ...pruned } = await this.#deps.context.prune(await this.#request(session), 'manual');
      return pruned;
    });
  }

  /** Null when there is nothing to compact. @throws ConflictError while another compaction runs, CancelledError */
  async compact(
    session: Session,
    { strategy, instructions, signal: caller }: CompactionCommand = {},
  ): Promise<CompactionRecord | null> {
    const { context } = this.#deps;
    // The request is made inside, so that the compaction can be cancelled from its first moment.
    const compact = async (signal: AbortSignal) => {
      const request = await this.#request(session, undefined, strategy, caller);
      signal.throwIfAborted();
      return context.compact(request, instructions);
    };
    const outcome = await this.#telling(session, () => context.cancellable(session.id, compact).catch(asCancelled));
    if (!outcome) return null;
    const records = await this.#deps.compactions.list(session.id);
    return records.find((record) => record.id === outcome.id) ?? null;
  }

  /**
   * Appends a conversation from elsewhere; its system messages, and the instructions that came with it, join the
   * session's own. Its title is taken where the session has none; wishes are kept that a message of its user says and
   * that there is room for. Files in it are kept as attachments are.
   * @throws InvalidInputError, TooLargeError, ConflictError (a turn runs) with nothing of it stored
   */
  async import(
    session: Session,
    input: readonly unknown[],
    { title, instructions = null, quotes = [] }: ExportedSession = {},
  ): Promise<ImportedConversation> {
    const { wishes: kept } = this.#deps;
    try {
      const imported = await importMessages(input);
      const joined = joinInstructions(instructions, imported.instructions) ?? instructions;
      const { adopted: wishes, left } = await kept.adoptable(session, imported.messages, quotes);
      const messages = await this.#append(session, { ...imported, instructions: joined }, 'adopt', { title, wishes });
      // It is stored, whoever can be told.
      if (wishes.length > 0) await kept.tell(session.id).catch(() => undefined);
      return { messages, wishes: wishes.length, wishesLeft: left };
    } finally {
      // Messages that came meanwhile are waiting.
      this.#deps.onFree(session.id);
    }
  }

  async #append(
    session: Session,
    { messages, instructions }: ImportedMessages,
    adopt: 'adopt' | 'adoptResults',
    others: Omit<Adopted, 'instructions'> = {},
  ): Promise<Message[]> {
    const { turns, attachments, messages: stored } = this.#deps;
    if (await turns.running(session.id)) {
      throw new ConflictError('A turn of this conversation is running. Wait for its end, then append messages.');
    }
    const joined = joinInstructions(session.instructions, instructions);
    const adopted = await attachments[adopt](session.id, messages);
    // A turn may have begun meanwhile: nothing may come between its request and its answer.
    return stored.appendMany(session.id, adopted, { ...others, instructions: joined });
  }

  /**
   * Stops a running compaction, in another process within its next renewal of the lease: one asked for by hand ends
   * without effect, an automatic one goes on without a model.
   */
  async cancelCompaction(sessionId: string): Promise<boolean> {
    const isHere = this.#deps.context.cancelCompaction(sessionId);
    // Both: a compaction that waits here waits for one in another process.
    const isElsewhere = await this.#deps.compactions.cancel(sessionId);
    return isHere || isElsewhere;
  }

  /** Reads what a compaction or prune made and kept. @throws NotFoundError */
  compaction(sessionId: string, compactionId: string): Promise<CompactionDetail> {
    return readCompactionDetail(this.#deps, sessionId, compactionId);
  }

  /**
   * Takes a prune or the newest compaction back, and tells who follows the session. @throws NotFoundError,
   * ConflictError
   */
  async undo(session: Session, compactionId: string): Promise<CompactionRecord> {
    const record = await this.#deps.compactions.undo(session.id, compactionId);
    this.#deps.events.emit(session.id, 'compaction:undone', { compactionId, strategy: record.strategy });
    // It is undone whether there are figures of it or not: its model may be gone.
    const inspected = await this.inspect(session).catch(() => null);
    if (inspected) this.#deps.events.emit(session.id, 'context:usage', inspected.usage);
    return record;
  }

  /** Does engine work for a session, then tells the new figures and frees the session. */
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

  async #request(
    session: Session,
    modelId?: string,
    strategy?: StrategyName,
    signal?: AbortSignal,
    scopes?: readonly Scope[],
  ) {
    await this.#deps.sources.standing.refresh(session.siteId);
    await this.#deps.sources.refreshTools(session.id);
    const listener = contextEvents(this.#deps.events, session.id);
    return contextRequest(this.#deps.sources, session, modelId, {
      strategy,
      listener,
      ...(signal && { signal }),
      ...(scopes && { scopes }),
    });
  }
}

/** @throws CancelledError in the place of what a cancelled compaction throws, else what was thrown */
function asCancelled(error: unknown): never {
  throw isCancellation(error) ? new CancelledError('The compaction was cancelled. Nothing was changed.') : error;
}

/** About 8,000 tokens, sent with every request. */
const MAX_INSTRUCTIONS_CHARS = 32_000;

/**
 * An agent elsewhere may send its instructions with every call: what is known is not added again.
 * @returns null where nothing is new
 */
function joinInstructions(present: string | null, added: string | null): string | null {
  if (added === null || present?.includes(added)) return null;
  const joined = present === null ? added : `${present}\n\n${added}`;
  if (joined.length <= MAX_INSTRUCTIONS_CHARS) return joined;
  throw new TooLargeError('The text of the system messages', MAX_INSTRUCTIONS_CHARS, 'characters');
}
