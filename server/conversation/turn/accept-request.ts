import { serverText } from '#server/core/messages/server-text';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import { contextTarget } from '#server/conversation/turn/session-request';
import { type Here, hereParts } from '#server/conversation/step/environment-context';
import { requireRoom, roomForRequest } from '#server/context/context-snapshot';
import { withTokens } from '#server/context/part-tokens';
import { allows, type Scope } from '#server/core/admin/access-rights';
import { ForbiddenError } from '#server/core/errors';
import type { ApprovalPolicy } from '#server/core/conversation/approvals';
import type { NewMessage } from '#server/core/conversation/messages';
import type { BeginOutcome } from '#server/core/conversation/turns';
import type { Session } from '#server/core/conversation/sessions';
import { fileNames } from '#server/core/conversation/part-text';
import type { NewPart } from '#server/core/conversation/parts';
import { oneLine } from '#server/core/text/short-text';

/** Maximum length of the title that a session gets from its first request. */
const TITLE_CHARS = 60;

/** A user message that is to start a turn. */
export interface SendRequest {
  readonly session: Session;
  /** The user's texts, part by part. */
  readonly texts: readonly string[];
  /** Ids of attachments of this session. Default: none. */
  readonly files?: readonly string[];
  /**
   * The sender's current view, for the environment context. Default: none, and the message gets no environment context.
   */
  readonly here?: Here | undefined;
  readonly modelId: string | null;
  /** Policy for calls that need approval. Default `ask`. */
  readonly approvalPolicy?: ApprovalPolicy | undefined;
  /** Rights of the sender: the assistant has no others. */
  readonly scopes: readonly Scope[];
  /** The API key that the message is sent with; its turn ends when the key becomes invalid. Default: none. */
  readonly keyId?: string | null | undefined;
  readonly clientRequestId: string | null;
  /** True: while a turn runs, the message waits for a turn of its own instead of joining it. Default false. */
  readonly startsTurn?: boolean | undefined;
  /** The newest request of the session, which this message replaces. Default: none; the message is appended. */
  readonly replaces?: Replacement | undefined;
}

/** A message that is replaced, with everything after it, by another one. */
export interface Replacement {
  readonly messageId: string;
  /**
   * Also undo the changes of its turn to the site; if not all can be undone, the message is not sent. Default false.
   */
  readonly undoChanges?: boolean | undefined;
}

/**
 * Checks a user message and stores it, once for each `clientRequestId`: with a new turn, or in the queue of the running
 * one.
 * @throws UnknownModelError, NotFoundError (an attachment of another session), TooLargeError (no context could ever
 * contain it) before anything is stored
 * @throws ForbiddenError if its sender wants calls to run, or changes undone, without the right to change the site
 * @throws ConflictError if it cannot replace the given message, or its site is gone
 * @throws QueueFullError, RateLimitedError (too many turns of its user run)
 */
export async function acceptRequest(context: ConversationContext, request: SendRequest): Promise<BeginOutcome> {
  const former = await findAccepted(context, request);
  if (former) return former;
  try {
    return await store(context, request);
  } catch (error) {
    // An equal request may have been accepted in the meantime.
    const equal = await findAccepted(context, request);
    if (equal) return equal;
    throw error;
  }
}

async function findAccepted({ turns }: ConversationContext, { session, clientRequestId, replaces }: SendRequest) {
  const former = clientRequestId ? await turns.findAccepted(session.id, clientRequestId) : null;
  return former?.id === replaces?.messageId ? null : former;
}

async function store(context: ConversationContext, request: SendRequest): Promise<BeginOutcome> {
  const { session, texts, files = [], here, replaces, approvalPolicy = 'ask', ...sent } = request;
  const { modelId, scopes } = sent;
  if (approvalPolicy === 'allow') requireWriter(scopes, 'allow');
  if (replaces?.undoChanges) requireWriter(scopes, 'undo');
  const { sites, models, attachments, turns, events, lease, limits } = context;
  await sites.requireConnected(session.siteId);
  models.resolve(modelId ?? session.modelId);
  const fileParts = await attachments.partsOf(session.id, files);
  const message: NewMessage = { role: 'user', parts: [...textParts(texts), ...fileParts, ...hereParts(here)] };
  const maxTokens = requestRoom(context, message.parts, session, modelId);
  if (replaces?.undoChanges) await undoChanges(context, session, replaces.messageId);
  // The start of the turn is stored after the earlier events of the session, for example the end of a compaction.
  await events.settled(session.id);
  return turns.begin({
    ...lease,
    ...sent,
    sessionId: session.id,
    message,
    approvalPolicy,
    maxTokens,
    maxRunning: limits.turnsLeft(session.ownerId),
    title: oneLine(texts.join(' ') || fileNames(fileParts).join(', '), TITLE_CHARS),
    ...(replaces && { replaces: replaces.messageId }),
  });
}

/** The user's texts as parts of a message. */
export function textParts(texts: readonly string[]): NewPart[] {
  return texts.map((text) => withTokens({ type: 'text', content: { text } }));
}

/**
 * Maximum tokens for user messages in a request of the model.
 * @throws UnknownModelError, or TooLargeError if these parts alone exceed it
 */
export function requestRoom(
  context: ConversationContext,
  parts: readonly NewPart[],
  session: Session,
  modelId: string | null,
): number {
  const target = contextTarget(context, session, modelId);
  const settings = context.settings.current();
  requireRoom([{ role: 'user', parts }], target, settings);
  return roomForRequest(target, settings);
}

/**
 * Undoes the changes of a message that is about to be replaced. If another request is accepted first after that, the
 * new message is refused and the changes stay undone; when it is sent again, nothing is left to undo.
 * @throws ConflictError, with nothing changed
 */
async function undoChanges(
  { turns, sites }: ConversationContext,
  { id: sessionId, siteId, ownerId: userId }: Session,
  messageId: string,
): Promise<void> {
  const turnIds = await turns.replaceable(sessionId, messageId);
  const { content } = sites.at(siteId);
  await content.undoAll({ sessionId, turnIds }, { actor: 'user', userId, sessionId });
}

/** @throws ForbiddenError if these rights do not include changing the site */
export function requireWriter(scopes: readonly Scope[], act: 'approve' | 'allow' | 'undo'): void {
  if (!allows(scopes, 'content:write')) throw new ForbiddenError(serverText('edit-right-missing', { act }));
}
