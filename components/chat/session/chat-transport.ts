import { ThroughlineChatTransport } from '#examples/use-chat/throughline-chat-transport';
import { api } from '#components/api/api-client.ts';
import type { ChatMessage } from '#components/api/chat-message.ts';

/** Response to a message: its turn has started, it waits behind the running turn, or it was not accepted. */
export type SendOutcome = 'started' | 'queued' | 'refused';

/**
 * The transport of our own interface, which learns from the feed what becomes of a queued message: the server answers
 * such a message with 202 instead of a stream.
 * @param onAnswer called when the server has responded to a message, before its answer is read
 */
export function createChatTransport(onAnswer: (outcome: SendOutcome) => void): ThroughlineChatTransport<ChatMessage> {
  return new ThroughlineChatTransport<ChatMessage>({
    prepareSendMessagesRequest: ({ id, messages, body }) => {
      const message = messages.at(-1);
      // The id of the message is its idempotency key: sent again after a lost response, it runs once.
      return { body: { ...body, id, message, clientRequestId: message?.id } };
    },
    fetch: async (path, init) => {
      if (typeof path !== 'string') throw new TypeError('The transport requests paths.');
      if (init?.method !== 'POST') return api.send(path, init);
      try {
        const response = await api.send(path, init);
        const isQueued = response.status === 202;
        onAnswer(isQueued ? 'queued' : 'started');
        return isQueued ? new Response('') : response;
      } catch (error) {
        onAnswer('refused');
        throw error;
      }
    },
  });
}
