import type { Scope } from '#server/core/admin/access-rights';
import { readCompactionDetail } from '#server/conversation/turn/compaction-detail';
import { contextRequest, instructionsOf, toolboxFor } from '#server/conversation/turn/session-request';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import type { TurnService } from '#server/conversation/turn/turn-service';
import { contextEvents } from '#server/conversation/events/context-events';
import type { PreparedContext } from '#server/context/context-manager';
import { requireRoom } from '#server/context/context-snapshot';
import { isCancellation } from '#server/context/ask-summarizer';
import { importMessages } from '#server/conversation/import/import-messages';
import type { ImportedMessages } from '#server/conversation/import/imported-messages';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { StrategyName } from '#server/core/admin/strategy-names';
import type { CompactionDetail, NextRequest } from '#server/core/conversation/context-report';
import { EMPTY_CONVERSATION } from '#server/core/conversation/conversation-state';
import { CancelledError, ConflictError, TooLargeError } from '#server/core/errors';
import type { ContextUsage, PruneData } from '#server/core/conversation/events';
import type { Message } from '#server/core/conversation/messages';
import type { Session } from '#server/core/conversation/sessions';
import type { Adopted } from '#server/core/conversation/session-export';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import { serverText } from '#server/core/messages/server-text';

/** The context of a session as shown to a caller. */
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
  /** Cancels it without effect. */
  readonly signal?: AbortSignal | undefined;
}

/** Metadata of an exported conversation. */
export interface ExportedSession {
  readonly title?: string | undefined;
  readonly instructions?: string | null | undefined;
  /** Preferences of its user, word for word. */
  readonly quotes?: readonly string[];
}

export interface ImportedConversation {
  readonly messages: readonly Message[];
  /** Number of its preferences that were newly added. */
  readonly wishes: number;
  /**
   * Number of preferences that were left out because no message of the user contains them or the token budget was used
   * up.
   */
  readonly wishesLeft: number;
}

/** The context engine by session and model id, for callers outside a turn. */
export class ContextService {
  readonly #context: ConversationContext;
  readonly #chat: TurnService;

  /** @param chat starts queued messages when a compaction or an import releases the session */
  constructor(context: ConversationContext, chat: TurnService) {
    this.#context = context;
    this.#chat = chat;
  }

  /** @throws UnknownModelError */
  async inspect(session: Session, modelId?: string): Promise<InspectedContext> {
    const { usage, ...rest } = await this.#context.engine.inspect(await this.#request(session, modelId));
    const total = await this.#context.sessions.cost(session.id);
    return { usage: { ...usage, cost: { ...usage.cost, total } }, ...rest };
  }

  /**
   * Exactly what the next step would send with the current context, with the cost of each piece. @throws
   * UnknownModelError
   */
  async nextRequest(session: Session, modelId?: string, scopes?: readonly Scope[]): Promise<NextRequest> {
    const { engine, attachments } = this.#context;
    const asked = await this.#request(session, modelId, undefined, undefined, scopes);
    const { usage, request } = await engine.itemize(asked, (messages) => attachments.expand(session.id, messages));
    const { modelId: model, breakdown } = usage;
    const offered = toolboxFor(this.#context, session.id, asked.target, scopes).tools;
    return {
      modelId: model,
      tokens: request.tokens,
      instructions: { text: instructionsOf(this.#context, session, scopes), tokens: breakdown.instructions },
      tools: { names: offered.map(({ name }) => name), tokens: breakdown.tools },
      messages: request.messages,
    };
  }

  /**
   * For a program that sends the messages itself, with its own instructions and tools, which alone count: appends the
   * messages (in any format that `import` reads), then prunes and compacts as a step would.
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
    const choices = { strategy, isForeign: true, listener: contextEvents(this.#context.events, session.id), ...(signal && { signal }) }; // oxfmt-ignore
    let request = contextRequest(this.#context, session, modelId, choices);
    if (appended) {
      const imported = await importMessages(appended);
      requireRoom(imported.messages, request.target, { ...this.#context.settings.current(), ...request.settings });
      await this.#append(session, imported, 'adoptResults');
      // The messages may have brought instructions.
      request = contextRequest(this.#context, await this.#context.sessions.get(session.id), modelId, choices);
    }
    return this.#telling(session, () => this.#context.engine.prepare(request));
  }

  prune(session: Session): Promise<PruneData> {
    return this.#telling(session, async () => {
      const { usage: _, ...pruned } = await this.#context.engine.prune(await this.#request(session), 'manual');
      return pruned;
    });
  }

  /** Null if there is nothing to compact. @throws ConflictError while another compaction runs, CancelledError */
  async compact(
    session: Session,
    { strategy, instructions, signal: caller }: CompactionCommand = {},
  ): Promise<CompactionRecord | null> {
    const { engine } = this.#context;
    // The request is built inside, so that the compaction can be cancelled from the start.
    const compact = async (signal: AbortSignal) => {
      const request = await this.#request(session, undefined, strategy, caller);
      signal.throwIfAborted();
      return engine.compact(request, instructions);
    };
    const outcome = await this.#telling(session, () => engine.cancellable(session.id, compact).catch(asCancelled));
    if (!outcome) return null;
    const records = await this.#context.compactions.list(session.id);
    return records.find((record) => record.id === outcome.id) ?? null;
  }

  /**
   * Appends a conversation from another source; its system messages and accompanying instructions are added to the
   * session's. Its title is used if the session has none; preferences are added if a message of its user contains them
   * and the token budget allows. Its files are stored like attachments.
   * @throws InvalidInputError, TooLargeError, ConflictError (a turn runs) with nothing stored
   */
  async import(
    session: Session,
    input: readonly unknown[],
    { title, instructions = null, quotes = [] }: ExportedSession = {},
  ): Promise<ImportedConversation> {
    const { preferences } = this.#context;
    try {
      const imported = await importMessages(input);
      const joined = joinInstructions(instructions, imported.instructions) ?? instructions;
      const { adopted: wishes, left } = await preferences.adoptable(session, imported.messages, quotes);
      const messages = await this.#append(session, { ...imported, instructions: joined }, 'adopt', { title, wishes });
      // The import is stored, even if the followers cannot be notified.
      if (wishes.length > 0) await preferences.tell(session.id).catch(() => undefined);
      return { messages, wishes: wishes.length, wishesLeft: left };
    } finally {
      // Messages may have been queued during the import.
      this.#chat.startWaiting(session.id);
    }
  }

  async #append(
    session: Session,
    { messages, instructions }: ImportedMessages,
    adopt: 'adopt' | 'adoptResults',
    others: Omit<Adopted, 'instructions'> = {},
  ): Promise<Message[]> {
    const { turns, attachments, messages: stored } = this.#context;
    if (await turns.running(session.id)) {
      throw new ConflictError(serverText('turn-is-running-for-messages'));
    }
    const joined = joinInstructions(session.instructions, instructions);
    const adopted = await attachments[adopt](session.id, messages);
    // A turn may have started since: nothing may come between its request and its answer.
    const appended = await stored.appendMany(session.id, adopted, { ...others, instructions: joined });
    // Followers get the state as it is when the event is sent.
    this.#context.events.emit(session.id, 'snapshot', EMPTY_CONVERSATION);
    return appended;
  }

  /**
   * Stops a running compaction; in another process at its next renewal of the lease. A manual compaction ends without
   * effect, an automatic one continues without a model.
   */
  async cancelCompaction(sessionId: string): Promise<boolean> {
    const isHere = this.#context.engine.cancelCompaction(sessionId);
    // Cancels both: a compaction that waits here waits for one in another process.
    const isElsewhere = await this.#context.compactions.cancel(sessionId);
    return isHere || isElsewhere;
  }

  /** Reads what a compaction or prune created and kept. @throws NotFoundError */
  compaction(sessionId: string, compactionId: string): Promise<CompactionDetail> {
    return readCompactionDetail(this.#context, sessionId, compactionId);
  }

  /**
   * Undoes a prune or the newest compaction, and notifies the followers of the session. @throws NotFoundError,
   * ConflictError
   */
  async undo(session: Session, compactionId: string): Promise<CompactionRecord> {
    const record = await this.#context.compactions.undo(session.id, compactionId);
    this.#context.events.emit(session.id, 'compaction:undone', { compactionId, strategy: record.strategy });
    // The undo succeeds even without new figures, for example if the model no longer exists.
    const inspected = await this.inspect(session).catch(() => null);
    if (inspected) this.#context.events.emit(session.id, 'context:usage', inspected.usage);
    return record;
  }

  /** Does engine work for a session, then reports the new figures and releases the session. */
  async #telling<T>(session: Session, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      const { usage } = await this.inspect(session);
      this.#context.events.emit(session.id, 'context:usage', usage);
      return result;
    } finally {
      this.#chat.startWaiting(session.id);
    }
  }

  async #request(
    session: Session,
    modelId?: string,
    strategy?: StrategyName,
    signal?: AbortSignal,
    scopes?: readonly Scope[],
  ) {
    await this.#context.sites.standing.refresh(session.siteId);
    await this.#context.toolboxes.refresh(session);
    const listener = contextEvents(this.#context.events, session.id);
    return contextRequest(this.#context, session, modelId, {
      strategy,
      listener,
      ...(signal && { signal }),
      ...(scopes && { scopes }),
    });
  }
}

/** @throws CancelledError instead of the error of a cancelled compaction, else the original error */
function asCancelled(error: unknown): never {
  throw isCancellation(error) ? new CancelledError(serverText('compaction-cancelled')) : error;
}

/** About 8,000 tokens, sent with every request. */
const MAX_INSTRUCTIONS_CHARS = 32_000;

/**
 * Adds only new instructions, because another program's agent may send its instructions with every call.
 * @returns null if nothing is new
 */
function joinInstructions(present: string | null, added: string | null): string | null {
  if (added === null || present?.includes(added)) return null;
  const joined = present === null ? added : `${present}\n\n${added}`;
  if (joined.length <= MAX_INSTRUCTIONS_CHARS) return joined;
  throw new TooLargeError('text of the system messages', MAX_INSTRUCTIONS_CHARS, 'characters');
}
