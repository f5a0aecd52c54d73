import type { RunDependencies, RunningTurnsDependencies } from '#server/agent/running-turns';
import { contextTarget } from '#server/agent/session-context';
import { type Here, hereParts } from '#server/agent/situation';
import { requireRoom, roomForRequest } from '#server/context/context-snapshot';
import { withTokens } from '#server/context/part-tokens';
import { allows, type Scope } from '#server/core/access-rights';
import { ForbiddenError } from '#server/core/errors';
import type { ApprovalPolicy } from '#server/core/approvals';
import type { NewMessage } from '#server/core/messages';
import type { BeginOutcome } from '#server/core/turns';
import type { Session } from '#server/core/sessions';
import { fileNames } from '#server/core/part-text';
import type { NewPart } from '#server/core/parts';
import { oneLine } from '#server/core/short-text';
import type { TurnStore } from '#server/core/turn-store';

/** Length of the title that the first request gives a session. */
const TITLE_CHARS = 60;

/** A message of the user, on its way to a turn. */
export interface SendRequest {
  readonly session: Session;
  /** The user's words, part by part. */
  readonly texts: readonly string[];
  /** Ids of attachments of this session. Default: none. */
  readonly files?: readonly string[];
  /** The sender's current view, told to the assistant with how things stand. Default: it is told nothing. */
  readonly here?: Here | undefined;
  readonly modelId: string | null;
  /** Policy for calls that have to ask. Default `ask`. */
  readonly approvalPolicy?: ApprovalPolicy | undefined;
  /** Rights of its sender: the assistant may do no more. */
  readonly scopes: readonly Scope[];
  /** The API key it is sent with: its turn ends with that. Default: none. */
  readonly keyId?: string | null | undefined;
  readonly clientRequestId: string | null;
  /** The newest request of the session, in whose place this is sent. Default: none, it is said behind all else. */
  readonly replaces?: Replacement | undefined;
}

/** A message that is taken back, with everything that followed it, for another one. */
export interface Replacement {
  readonly messageId: string;
  /** Also what its turn did to the site, all of it or the message is not sent. Default false. */
  readonly undoChanges?: boolean | undefined;
}

export interface AcceptDependencies extends Pick<RunningTurnsDependencies, 'lease' | 'mostRunning'> {
  readonly turns: Pick<TurnStore, 'begin' | 'findAccepted' | 'replaceable'>;
  readonly executor: Pick<RunDependencies, 'sources' | 'attachments' | 'requireSite' | 'siteAt'>;
}

/**
 * Checks a message of the user and stores it, once for each `clientRequestId`: with a turn of its own, or in the queue
 * behind the running one.
 * @throws UnknownModelError, NotFoundError (an attachment that is not the session's), TooLargeError (no context could
 *   ever hold it) before anything is stored
 * @throws ForbiddenError when its sender wants calls to run, or changes undone, and may change nothing himself
 * @throws ConflictError when it cannot take the place of the message that it is to replace, or its site is gone
 * @throws QueueFullError, RateLimitedError (too many turns of its user run)
 */
export async function acceptRequest(deps: AcceptDependencies, request: SendRequest): Promise<BeginOutcome> {
  const former = await findAccepted(deps, request);
  if (former) return former;
  try {
    return await store(deps, request);
  } catch (error) {
    // An equal request may have been accepted meanwhile.
    const equal = await findAccepted(deps, request);
    if (equal) return equal;
    throw error;
  }
}

async function findAccepted({ turns }: AcceptDependencies, { session, clientRequestId }: SendRequest) {
  return clientRequestId ? turns.findAccepted(session.id, clientRequestId) : null;
}

async function store(deps: AcceptDependencies, request: SendRequest): Promise<BeginOutcome> {
  const { session, texts, files = [], here, replaces, approvalPolicy = 'ask', ...sent } = request;
  const { modelId, scopes } = sent;
  if (approvalPolicy === 'allow') requireWriter(scopes, 'allow calls in advance');
  if (replaces?.undoChanges) requireWriter(scopes, 'undo changes');
  const { sources, attachments, requireSite } = deps.executor;
  await requireSite(session.siteId);
  sources.models.resolve(modelId ?? session.modelId);
  const fileParts = await attachments.partsOf(session.id, files);
  const message: NewMessage = { role: 'user', parts: [...textParts(texts), ...fileParts, ...hereParts(here)] };
  const maxTokens = requestRoom(sources, message.parts, session, modelId);
  if (replaces?.undoChanges) await undoChanges(deps, session, replaces.messageId);
  return deps.turns.begin({
    ...deps.lease,
    ...sent,
    sessionId: session.id,
    message,
    approvalPolicy,
    maxTokens,
    mostRunning: deps.mostRunning?.(session.ownerId),
    title: oneLine(texts.join(' ') || fileNames(fileParts).join(', '), TITLE_CHARS),
    ...(replaces && { replaces: replaces.messageId }),
  });
}

/** The user's words as parts of a message. */
export function textParts(texts: readonly string[]): NewPart[] {
  return texts.map((text) => withTokens({ type: 'text', content: { text } }));
}

/**
 * Most tokens that the model's request has for messages of the user.
 * @throws UnknownModelError, or TooLargeError where these parts alone are more
 */
export function requestRoom(
  sources: RunDependencies['sources'],
  parts: readonly NewPart[],
  session: Session,
  modelId: string | null,
): number {
  const target = contextTarget(sources, session, modelId);
  requireRoom([{ role: 'user', parts }], target, sources.settings());
  return roomForRequest(target, sources.settings());
}

/**
 * Takes back what was done for a message that is about to be replaced. Should another request come first after that,
 * the new message is refused and this stays undone; sent again, it finds nothing left to undo.
 * @throws ConflictError, with nothing changed
 */
async function undoChanges(
  { turns, executor }: AcceptDependencies,
  { id: sessionId, siteId, ownerId: userId }: Session,
  messageId: string,
): Promise<void> {
  const turnIds = await turns.replaceable(sessionId, messageId);
  const { content } = executor.siteAt(siteId);
  await content.undoAll({ sessionId, turnIds }, { actor: 'user', userId, sessionId });
}

/** @throws ForbiddenError where these rights do not include changing the site */
export function requireWriter(scopes: readonly Scope[], act: string): void {
  if (!allows(scopes, 'content:write')) throw new ForbiddenError(`You need edit permission to ${act}.`);
}
