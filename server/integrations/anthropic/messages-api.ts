import type { CountTokensBody, MessagesBody } from '#server/integrations/anthropic/messages-body';
import { fromConversation, fromMessagesBody } from '#server/integrations/anthropic/messages-request';
import { messagesFormat } from '#server/integrations/anthropic/messages-response';
import type { Caller, Completions } from '#server/integrations/openai/completions';

/** Answers clients of Anthropic's Messages API, which store their conversation themselves and send all of it each time. */
export class MessagesApi {
  readonly #completions: Completions;

  constructor(completions: Completions) {
    this.#completions = completions;
  }

  /** Answers one request, as a whole or as a stream. @throws as `Completions.answer` */
  answer(body: MessagesBody, caller: Caller): Promise<Response> {
    return this.#completions.answer(fromMessagesBody(body), messagesFormat, caller);
  }

  /** Estimated tokens of a conversation, without a model call. @throws UnknownModelError, InvalidInputError */
  count(body: CountTokensBody, ownerId: string): Promise<number> {
    return this.#completions.count(fromConversation(body), ownerId);
  }
}
