import { conversationSummaryInstructions } from '#prompts/prompts';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import {
  billOf,
  findSummarizer,
  modelTarget,
  type OwnRequests,
  sessionInstructions,
} from '#server/conversation/step/session-context';
import { StoredSession } from '#server/conversation/store/stored-session';
import type { OfferedTools } from '#server/conversation/step/toolboxes';
import { type ModelTarget, type ModelWindow, createBudget } from '#server/context/budget';
import { roomForRequest } from '#server/context/context-snapshot';
import type { ContextListener, ContextRequest } from '#server/context/ports';
import { programRulesOf, programSettings } from '#server/context/settings/program-settings';
import { allows, type Scope } from '#server/core/admin/access-rights';
import { UnknownModelError } from '#server/core/errors';
import type { Session } from '#server/core/conversation/sessions';

/* What a request of a session contains in addition to its messages: the model, the instructions and the tools. */

/** Figures of a session without a running turn count all its tools. */
const ALL_RIGHTS: readonly Scope[] = ['admin'];

const NO_SITE =
  'You have no tools for the site here and know nothing of it: who speaks to you may not read it. Say so where you are asked to look at it or to change it.';

/**
 * Instructions of the next step, with the site's instructions that were read last. A principal that may not read the
 * site does not receive the site's instructions either.
 * @param scopes see toolboxFor
 */
export function instructionsOf(
  { sites }: ConversationContext,
  { siteId, instructions }: Session,
  scopes: readonly Scope[] = ALL_RIGHTS,
): string {
  return sessionInstructions(allows(scopes, 'content:read') ? sites.standing.current(siteId) : NO_SITE, instructions);
}

/**
 * The tools that a model is offered in a session.
 * @param scopes rights of the principal of the turn. Default: all
 */
export function toolboxFor(
  { settings, toolboxes }: ConversationContext,
  sessionId: string,
  model: ModelWindow,
  scopes: readonly Scope[] = ALL_RIGHTS,
): OfferedTools {
  return toolboxes.of(sessionId, createBudget(model, settings.current(), 0).usable).within(scopes);
}

/**
 * The model of a session, with what is sent with every request of it.
 * @param modelId a model other than the session's
 * @param scopes see toolboxFor
 * @throws UnknownModelError
 */
export function contextTarget(
  context: ConversationContext,
  session: Session,
  modelId: string | null | undefined,
  scopes?: readonly Scope[],
): ModelTarget {
  const { models } = context;
  const asked = models.canonicalId(modelId ?? session.modelId);
  const toolbox = toolboxFor(context, session.id, models.limits(asked), scopes);
  const texts = { instructions: instructionsOf(context, session, scopes), tools: toolbox.schemaText };
  return modelTarget(context, asked, texts);
}

/** The model of a session whose messages another program sends. @throws UnknownModelError */
function foreignTarget(
  context: ConversationContext,
  { modelId: own, instructions }: Session,
  modelId: string | null | undefined,
): ModelTarget {
  const asked = context.models.canonicalId(modelId ?? own);
  return modelTarget(context, asked, { instructions: instructions ?? '', tools: '' });
}

/** What the session's requests contain besides messages. @param scopes see toolboxFor */
function ownRequests(
  context: ConversationContext,
  session: Session,
  target: ModelTarget,
  scopes: readonly Scope[],
): OwnRequests {
  return {
    instructions: () => instructionsOf(context, session, scopes),
    tools: () => toolboxFor(context, session.id, target, scopes).toolSet,
    expand: (messages) => context.attachments.expand(session.id, messages),
  };
}

interface RequestChoices {
  /**
   * The messages are sent by another program, with its own tools: of what is sent with every request only the
   * instructions of the session count, and the rules of the provider for other programs apply. Default: false.
   */
  readonly isForeign?: boolean;
  readonly listener?: ContextListener | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly strategy?: ContextRequest['strategy'];
  /** See toolboxFor. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The session in the database, if it was read already. */
  readonly stored?: StoredSession | undefined;
}

/**
 * The engine's request for a session and one model.
 * @param modelId a model other than the session's, for figures or for another request
 * @throws UnknownModelError
 */
export function contextRequest(
  context: ConversationContext,
  session: Session,
  modelId: string | null | undefined,
  { scopes, isForeign = false, stored = new StoredSession(context, session.id), ...choices }: RequestChoices = {},
): ContextRequest {
  const target = isForeign
    ? foreignTarget(context, session, modelId)
    : contextTarget(context, session, modelId, scopes);
  const current = context.settings.current();
  const rules = isForeign ? programRulesOf(current, context.models.providerOf(target.modelId)) : {};
  const settings = programSettings(current, rules);
  const strategy = choices.strategy ?? rules.strategy;
  const summarizer = findSummarizer(
    context,
    { ...current, ...settings },
    {
      strategy,
      modelId: target.modelId,
      bill: billOf(session, 'summary'),
      ...(isForeign && { instructions: conversationSummaryInstructions }),
      // Without a principal it is not known which instructions and tools the requests of the session have.
      ...(!isForeign && scopes && { own: ownRequests(context, session, target, scopes) }),
    },
  );
  return {
    session: stored,
    site: context.sites.ofSession(session),
    target,
    summarizer,
    settings,
    ...choices,
    strategy,
  };
}

/**
 * Maximum tokens, by our count, of queued messages that are joined into one; 0 if no model serves the session: one
 * message.
 */
export function roomForWaiting(context: ConversationContext, session: Session, modelId: string | null): number {
  try {
    return roomForRequest(contextTarget(context, session, modelId), context.settings.current());
  } catch (error) {
    if (error instanceof UnknownModelError) return 0;
    throw error;
  }
}
