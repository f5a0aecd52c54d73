import { contextEvents } from '#server/conversation/events/context-events';
import { countExactly } from '#server/conversation/step/model-attempt';
import { describeEnvironment, situationLimits } from '#server/conversation/step/environment-context';
import type { NoteWriter } from '#server/conversation/step/answer-writer';
import { StoredSession } from '#server/conversation/store/stored-session';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import type { RunningTurn, TurnPermissions } from '#server/conversation/turn/running-turn';
import { contextRequest, contextTarget, instructionsOf, toolboxFor } from '#server/conversation/turn/session-request';
import { tailTokensOf } from '#server/context/compaction-plan';
import type { PreparedContext } from '#server/context/context-manager';
import type { ContextListener, ContextRequest } from '#server/context/ports';
import type { StoredView } from '#server/context/view';
import { allows } from '#server/core/admin/access-rights';
import type { CompactionReason, ContextUsage } from '#server/core/conversation/events';
import type { Message } from '#server/core/conversation/messages';
import type { TurnEnding } from '#server/core/conversation/turn-store';

/** The context of one model call: the engine's request, and the messages that fit the window. */
export interface StepRequest {
  readonly request: ContextRequest;
  readonly prepared: PreparedContext;
}

/** Prepares the context of a turn's steps, and reports its size. */
export class StepContext {
  readonly #context: ConversationContext;
  readonly #run: RunningTurn;
  readonly #listener: ContextListener;
  readonly #stored: StoredSession;
  /** True if what the next request is made of was read in this step. */
  #isRead = false;
  /** Costs of the session as they were read last; null: unknown. */
  #cost: number | null = null;

  constructor(context: ConversationContext, run: RunningTurn) {
    this.#context = context;
    this.#run = run;
    this.#stored = new StoredSession(context, run.session.id);
    this.#listener = contextEvents(context.events, run.session.id, run);
  }

  /**
   * Adds the environment context, to this message or (null) after a pause; if that fails, the turn continues without
   * it.
   */
  describeEnvironment(message: Message | null, { scopes }: TurnPermissions): Promise<void> {
    const { turn, session, site, messages } = this.#run;
    return this.#run.aside('Telling the situation', () => {
      const limits = situationLimits(
        contextTarget(this.#context, session, turn.modelId, scopes),
        this.#context.settings.current(),
      );
      const reading = this.#read();
      // Their tools need the right to write.
      const canUse = allows(scopes, 'content:write');
      const toolServers = canUse ? this.#context.toolServers.instructionsFor(session.siteId) : [];
      const sources = { view: reading, site, mayRead: allows(scopes, 'content:read'), toolServers };
      const writer: NoteWriter = {
        append: async (...args) => {
          const appended = await messages.append(...args);
          this.forget();
          return appended;
        },
        updatePart: async (partId, changes, order) => {
          await messages.updatePart(partId, changes, order);
          this.#stored.noteChange(partId, changes);
        },
      };
      return Promise.all([describeEnvironment(sources, { turn, message }, writer, limits), reading]);
    });
  }

  /** Tokens of the newest messages that a compaction keeps. @throws UnknownModelError */
  tailTokens({ scopes }: TurnPermissions): number {
    const { turn, session } = this.#run;
    const target = contextTarget(this.#context, session, turn.modelId, scopes);
    return tailTokensOf(target, this.#context.settings.current());
  }

  /** The next request reads everything again, because the conversation has changed. */
  forget(): void {
    this.#isRead = false;
    this.#stored.forget();
  }

  /**
   * Reads what the next request is made of, and whether messages are queued.
   * @returns false: none are, or that could not be read
   */
  async readWithQueue(): Promise<boolean> {
    let isWaiting = false;
    await this.#run.aside('Looking for queued messages', async () => {
      [isWaiting] = await Promise.all([this.#context.turns.hasQueue(this.#run.session.id), this.#read()]);
    });
    return isWaiting;
  }

  /** Reads together what the next request is made of; on a database server each read is a round trip. */
  async #read(): Promise<StoredView> {
    const { sites, toolboxes, sessions } = this.#context;
    const { session } = this.#run;
    const [view, cost] = await Promise.all([
      this.#stored.readAhead(),
      sessions.cost(session.id),
      sites.standing.refresh(session.siteId),
      toolboxes.refresh(session),
    ]);
    this.#cost = cost;
    this.#isRead = true;
    return view;
  }

  /**
   * Prepares the messages for the model: prunes and compacts what does not fit. Publishes the figures.
   * @param force compacts first, even if the request fits
   * @throws ContextOverflowError if the request cannot be made to fit, UnknownModelError
   */
  async prepare(
    permissions: TurnPermissions,
    signal: AbortSignal,
    force: CompactionReason | undefined,
  ): Promise<StepRequest> {
    const { engine } = this.#context;
    if (!this.#isRead) await this.#read();
    // The engine takes what was read ahead.
    this.#isRead = false;
    let request = this.#request(permissions, signal);
    let prepared = await engine.prepare(request, force);
    if (await this.#isLargerThanEstimated({ request, prepared }, permissions, signal)) {
      request = this.#request(permissions, signal);
      prepared = await engine.prepare(request);
    }
    const { session, turn } = this.#run;
    await this.#run.aside('Taking figures', async () => {
      this.#context.events.emit(session.id, 'context:usage', this.#publishUsage(prepared.usage), turn.id);
    });
    return { request, prepared };
  }

  /**
   * Has the server of the model count a request that no report covers, if it does so for free, and calibrates with the
   * result. @returns whether the request is larger than it was estimated
   */
  async #isLargerThanEstimated(
    { request: { target }, prepared: { measured, messages } }: StepRequest,
    { scopes }: TurnPermissions,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { createCounter, id } = this.#run.model();
    if (!createCounter || measured.source === 'reported' || measured.breakdown.media > 0) return false;
    const { session } = this.#run;
    const reported = await countExactly({
      model: { id, model: createCounter() },
      instructions: instructionsOf(this.#context, session, scopes),
      tools: toolboxFor(this.#context, session.id, target, scopes).toolSet,
      messages,
      signal,
    });
    if (reported === null) return false;
    await this.#context.calibrations.learnExact(target.modelId, { reported, counted: measured.countedTokens });
    return reported > measured.currentTokens;
  }

  /**
   * Prunes at the end of the turn, so that the prompt cache stays valid while it runs, and publishes the figures.
   * @returns the figures, to be stored with the end of the turn; undefined: they could not be determined
   */
  async pruneAfterTurn(permissions: TurnPermissions): Promise<TurnEnding['figures']> {
    const { sessions, engine } = this.#context;
    const { id: sessionId } = this.#run.session;
    let figures: TurnEnding['figures'];
    this.forget();
    await this.#run.aside('Pruning', async () => {
      const [{ usage }, cost] = await Promise.all([
        engine.prune(this.#request(permissions), 'turn-end'),
        sessions.cost(sessionId),
      ]);
      this.#cost = cost;
      figures = { sessionId, usage: this.#publishUsage(usage) };
    });
    if (figures) return figures;
    await this.#run.aside('Taking figures', async () => {
      const { usage } = await engine.inspect(this.#request(permissions));
      figures = { sessionId, usage: this.#publishUsage(usage) };
    });
    return figures;
  }

  /**
   * The engine's request for the current session, because limits and settings may change while the turn runs. @throws
   * UnknownModelError
   */
  #request({ scopes }: TurnPermissions, signal: AbortSignal = this.#run.stop.signal): ContextRequest {
    const { turn, session } = this.#run;
    this.#run.model();
    const choices = { signal, listener: this.#listener, scopes, stored: this.#stored };
    return contextRequest(this.#context, session, turn.modelId, choices);
  }

  /** Shows the figures of the context to the readers of the answer. @returns them, with the costs of the session */
  #publishUsage(usage: ContextUsage): ContextUsage {
    const data = { ...usage, cost: { ...usage.cost, total: this.#cost } };
    this.#run.publish({ type: 'data-context', data, transient: true });
    return data;
  }
}
