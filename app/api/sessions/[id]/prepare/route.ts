import { route } from '#server/http/route';
import { CONVERSATION_BODY_LIMIT, prepareBody, sessionParams } from '#server/http/schemas/sessions';

/** Context management as a service, for an agent that runs elsewhere. */
export const POST = route(
  { access: 'owner', params: sessionParams, body: prepareBody, bodyLimit: CONVERSATION_BODY_LIMIT },
  async ({ params, body, services }) => {
    const session = await services.sessions.get(params.id);
    const prepared = await services.context.prepare(session, body.messages, body);
    const { messages, tokens, prunedOutputs, compaction } = prepared;
    return {
      messages,
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
