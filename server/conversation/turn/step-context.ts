import { contextEvents } from '#server/conversation/events/context-events';
import { countExactly } from '#server/conversation/step/model-attempt';
import { describeEnvironment, situationLimits } from '#server/conversation/step/environment-context';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import type { RunningTurn, TurnPermissions } from '#server/conversation/turn/running-turn';
import { contextRequest, contextTarget, instructionsOf, toolboxFor } from '#server/conversation/turn/session-request';
import type { PreparedContext } from '#server/context/context-manager';
import type { ContextListener, ContextRequest } from '#server/context/ports';
import { allows } from '#server/core/admin/access-rights';
import type { CompactionReason, ContextUsage } from '#server/core/conversation/events';
import type { Message } from '#server/core/conversation/messages';

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

  constructor(context: ConversationContext, run: RunningTurn) {
    this.#context = context;
    this.#run = run;
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
      const sources = { view: this.#context.messages.loadView, site, mayRead: allows(scopes, 'content:read') };
      return describeEnvironment(sources, { turn, message }, messages, limits);
    });
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
    const { sites, toolboxes, engine } = this.#context;
    const { session } = this.#run;
    await sites.standing.refresh(session.siteId);
    await toolboxes.refresh(session);
    let request = this.#request(permissions, signal);
    let prepared = await engine.prepare(request, force);
    if (await this.#isLargerThanEstimated({ request, prepared }, permissions, signal)) {
      request = this.#request(permissions, signal);
      prepared = await engine.prepare(request);
    }
    await this.#publishUsage(permissions, prepared.usage);
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

  /** Prunes at the end of the turn, so that the prompt cache stays valid while it runs, and publishes the figures. */
  async pruneAfterTurn(permissions: TurnPermissions): Promise<void> {
    let usage: ContextUsage | undefined;
    await this.#run.aside('Pruning', async () => {
      ({ usage } = await this.#context.engine.prune(this.#request(permissions), 'turn-end'));
    });
    await this.#publishUsage(permissions, usage);
  }

  /**
   * The engine's request for the current session, because limits and settings may change while the turn runs. @throws
   * UnknownModelError
   */
  #request({ scopes }: TurnPermissions, signal: AbortSignal = this.#run.stop.signal): ContextRequest {
    const { turn, session } = this.#run;
    this.#run.model();
    return contextRequest(this.#context, session, turn.modelId, { signal, listener: this.#listener, scopes });
  }

  /** @param known figures of the context, if they were just measured */
  #publishUsage(permissions: TurnPermissions, known?: ContextUsage): Promise<void> {
    const { turn, session } = this.#run;
    const { engine, sessions, events } = this.#context;
    return this.#run.aside('Taking figures', async () => {
      const usage = known ?? (await engine.inspect(this.#request(permissions))).usage;
      const data = { ...usage, cost: { ...usage.cost, total: await sessions.cost(session.id) } };
      this.#run.publish({ type: 'data-context', data, transient: true });
      events.emit(session.id, 'context:usage', data, turn.id);
    });
  }
}
