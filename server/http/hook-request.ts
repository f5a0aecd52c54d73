import { serverText } from '#server/core/messages/server-text';
import { bytesOf } from '#server/core/data-url';
import { attachmentPath } from '#server/core/conversation/part-types/blobs';
import type { ApprovalDecision } from '#server/core/conversation/approvals';
import type { Session } from '#server/core/conversation/sessions';
import { ConflictError, InvalidInputError } from '#server/core/errors';
import type { Principal } from '#server/core/admin/access-rights';
import type { RecordAction } from '#server/core/admin/audit';
import type { Services } from '#server/services';
import { auditDecisions } from '#server/http/audit-decisions';
import { parse } from '#server/http/parse-request';
import { contentOf, decidedPartSchema, type HookBody, hookMessageSchema, turnChoices } from '#server/http/schemas/chat';

/* Requests of the AI SDK's `useChat` with its default body. */

interface HookInput {
  readonly body: HookBody;
  readonly services: Services;
  readonly principal: Principal;
  readonly audit: RecordAction;
  readonly session: Session;
  /** Aborts when the client closes the connection. */
  readonly disconnected: AbortSignal;
}

/**
 * The stream that `useChat` reads after its request: the answer to a new, an edited or a repeated request, or the rest
 * of an answer whose waiting calls were decided.
 * @throws InvalidInputError if the last message is neither a request nor an answer with new decisions
 * @throws ConflictError if a request other than the newest is edited or answered again, or while a turn runs
 * @throws the errors of `TurnService.send` and `TurnService.decide`
 */
export async function answerHook(input: HookInput) {
  const { messages, trigger, messageId } = input.body;
  const last = messages.at(-1);
  const isOfAnswer = messages.some(({ id, role }) => id === messageId && role === 'assistant');
  if (trigger === 'submit-message' && (last?.role !== 'user' || isOfAnswer)) return decide(input);
  const request = messages.findLast(({ role }) => role === 'user');
  if (!request) throw new InvalidInputError(serverText('hook-no-request'));
  const { chat } = input.services;
  const isRegenerated = trigger === 'regenerate-message';
  const isEdited = !isRegenerated && messageId !== undefined;
  if (isEdited && messageId !== request.id) throw new ConflictError(serverText('not-the-newest-request'));
  // A request whose sending failed is repeated with `regenerate`, too: it is not stored.
  const replaced = isRegenerated || isEdited ? await chat.requestKnownAs(input.session.id, request.id) : null;
  if (isEdited && replaced === null) throw new ConflictError(serverText('not-the-newest-request'));
  const content = isRegenerated && replaced ? await chat.contentOf(replaced) : await readContent(input, request);
  return send(input, request.id, content, replaced);
}

/** @param replaced stored message in whose place the request is sent; null: it is appended */
function send(
  { body, services, principal, session, disconnected }: HookInput,
  clientRequestId: string,
  content: MessageContent,
  replaced: string | null,
) {
  const request = {
    session,
    ...content,
    ...turnChoices(body, principal),
    clientRequestId,
    ...(replaced !== null && { replaces: { messageId: replaced } }),
  };
  return services.chat.sendForAnswer(request, disconnected);
}

type MessageContent = ReturnType<typeof contentOf>;

/** Texts and attachments of a message; files that come as data URLs are stored. */
async function readContent(
  { services, session }: HookInput,
  { id: _, ...message }: HookBody['messages'][number],
): Promise<MessageContent> {
  const { parts } = parse(hookMessageSchema, message, 'body');
  // Reads all files before the first is stored.
  const read = parts.map((part) => ({ part, bytes: part.type === 'file' ? bytesIn(part.url) : null }));
  const sent = [];
  for (const { part, bytes } of read) {
    if (!bytes) sent.push(part);
    else {
      const filename = typeof part['filename'] === 'string' ? part['filename'] : '';
      const { id: blobId } = await services.attachments.keep(session.id, filename, bytes);
      sent.push({ type: 'file' as const, url: attachmentPath(blobId) });
    }
  }
  return contentOf({ role: 'user', parts: sent });
}

/** The bytes of a data URL; null for the address of a stored file. @throws InvalidInputError */
function bytesIn(url: string): Uint8Array | null {
  if (!url.startsWith('data:')) return null;
  const bytes = bytesOf(url);
  if (!bytes) throw new InvalidInputError(serverText('hook-broken-file'));
  return bytes;
}

async function decide(input: HookInput) {
  const { body, services, principal, session, audit } = input;
  const decisions = decisionsOf(body);
  const asked = await services.chat.pendingApprovals(session.id);
  // Another page may have decided some of the calls.
  const waiting = decisions.filter(({ approvalId }) => asked.some((call) => call.approvalId === approvalId));
  const made = waiting.length > 0 ? waiting : decisions;
  const answer = await services.chat.decideForAnswer(session.id, made, principal.scopes, principal.keyId);
  await auditDecisions(session.id, asked, made, audit);
  return answer;
}

/** The decisions of the last answer on calls that have not run. @throws InvalidInputError if there are none */
function decisionsOf({ messages }: HookBody): ApprovalDecision[] {
  const answer = messages.findLast(({ role }) => role === 'assistant');
  const decided = answer?.parts.filter((part) => part['state'] === 'approval-responded') ?? [];
  if (decided.length === 0) throw new InvalidInputError(serverText('hook-no-decision'));
  return decided.map((part) => {
    const { id: approvalId, approved, reason } = parse(decidedPartSchema, part, 'body').approval;
    return { approvalId, approved, ...(reason && { reason }) };
  });
}
