import { preparedSchema } from '#server/core/conversation/context-report';
import { withModelFileUrls } from '#server/http/attachments';
import { route } from '#server/http/route';
import {
  CONVERSATION_BODY_BYTES,
  CONVERSATION_BODY_VALUES,
  prepareBody,
  sessionParams,
} from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary: 'Context management as a service: appends messages and gives what an agent elsewhere should send',
    answer: preparedSchema,
    access: 'chat',
    startsTurn: true,
    params: sessionParams,
    body: prepareBody,
    bodyLimit: CONVERSATION_BODY_BYTES,
    bodyValues: CONVERSATION_BODY_VALUES,
  },
  async ({ params, body, services, principal, lapsed, ownSession }) => {
    const session = await ownSession(params.id);
    const releaseSlot = await services.limits.reserveSlot(principal.userId);
    const prepared = await services.context
      .prepare(session, body.messages, { ...body, signal: lapsed })
      .finally(releaseSlot);
    const { messages, tokens, prunedOutputs, compaction } = prepared;
    // Messages added by this request may have changed the instructions.
    const { instructions } = await ownSession(params.id);
    return {
      instructions: instructions ?? '',
      messages: messages.map(withModelFileUrls),
      wasPruned: prunedOutputs > 0,
      wasCompacted: compaction !== null,
      tokens,
      debug: {
        prunedOutputs,
        compactedMessages: compaction?.messagesCompacted ?? 0,
        removedTools: compaction?.removedTools ?? [],
      },
    };
  },
);
