import { NotFoundError } from '#server/core/errors';
import { toWireCompaction, type WireCompaction } from '#server/integrations/openai/responses/compaction-response';
import type { Caller, Completions } from '#server/integrations/openai/completions';
import {
  type CompactBody,
  itemSchema,
  type ResponseItem,
  type ResponsesBody,
} from '#server/integrations/openai/responses/responses-body';
import { fromResponsesBody, inputItems, toMessages } from '#server/integrations/openai/responses/responses-request';
import {
  responseIdOf,
  responsesFormat,
  type WireResponse,
} from '#server/integrations/openai/responses/responses-response';
import { type StoredResponses, tooLong } from '#server/integrations/openai/responses/stored-responses';

/** Maximum number of characters of all items that one request refers to: as many as its body has bytes at most. */
const MAX_REFERRED_CHARS = 32_000_000;

/** Answers clients of OpenAI's Responses API, and keeps the answers that they may refer to. */
export class ResponsesApi {
  readonly #completions: Completions;
  readonly #stored: StoredResponses;
  readonly #onFault: (message: string, error: unknown) => void;

  constructor(completions: Completions, stored: StoredResponses, onFault: (message: string, error: unknown) => void) {
    this.#completions = completions;
    this.#stored = stored;
    this.#onFault = onFault;
  }

  /**
   * Answers one request, as a whole or as a stream.
   * @throws NotFoundError for a response or an item that does not exist or belongs to another owner; as
   * `Completions.answer`
   */
  async answer(body: ResponsesBody, caller: Caller): Promise<Response> {
    const { ownerId } = caller;
    const input = inputItems(body);
    const earlier = body.previous_response_id ? await this.#conversation(ownerId, body.previous_response_id) : [];
    const items = await this.#resolve(ownerId, [...earlier, ...input]);
    const format = responsesFormat(body, (response) => this.#keep(ownerId, body, input, response));
    return this.#completions.answer(fromResponsesBody(body, items), format, caller);
  }

  /**
   * Compacts a conversation: the user's older messages, followed by one item that holds the summary and the newest
   * messages. Nothing is stored but the summary, which a request with the same beginning finds again.
   * @throws as `answer`
   */
  async compact(body: CompactBody, caller: Caller): Promise<WireCompaction> {
    const { ownerId } = caller;
    const { previous_response_id: previous } = body;
    const earlier = previous ? await this.#conversation(ownerId, previous) : [];
    const items = await this.#resolve(ownerId, [...earlier, ...inputItems(body)]);
    const messages = toMessages(items);
    const { model, instructions } = body;
    const system = instructions ? [{ role: 'system' as const, content: instructions }] : [];
    const conversation = { model, messages: [...system, ...messages] };
    return toWireCompaction(messages, await this.#completions.compact(conversation, caller));
  }

  /** A stored response. @throws NotFoundError */
  async get(ownerId: string, id: string): Promise<WireResponse> {
    const [found] = await this.#stored.find(ownerId, [id]);
    if (!found) throw new NotFoundError('response', id);
    return found.response;
  }

  /** Deletes a stored response: nothing can refer to it any more. @throws NotFoundError */
  async delete(ownerId: string, id: string): Promise<void> {
    if (!(await this.#stored.delete(ownerId, id))) throw new NotFoundError('response', id);
  }

  /** All items of a stored response and of those that it continues, in order. @throws as `StoredResponses.chain` */
  async #conversation(ownerId: string, id: string): Promise<ResponseItem[]> {
    const chain = await this.#stored.chain(ownerId, id);
    return chain.flatMap(({ input, response }) => {
      if (input === null) throw new NotFoundError('request', response.id, 'It was too long to be stored.');
      return [...input, ...response.output.map((item) => itemSchema.parse(item))];
    });
  }

  /** Replaces references by the items that they name. @throws NotFoundError, InvalidInputError if they are too long */
  async #resolve(ownerId: string, items: readonly ResponseItem[]): Promise<ResponseItem[]> {
    const named = items.flatMap((item) => (item.type === 'item_reference' ? [item.id] : []));
    if (named.length === 0) return [...items];
    const ids = new Set(named.flatMap((id) => responseIdOf(id) ?? []));
    const stored = await this.#stored.find(ownerId, [...ids]);
    const known = new Map(
      stored.flatMap(({ response }) =>
        response.output.map((output) => [output.id, { item: itemSchema.parse(output), size: sizeOf(output) }] as const),
      ),
    );
    let size = 0;
    return items.map((item) => {
      if (item.type !== 'item_reference') return item;
      const found = known.get(item.id);
      if (!found) throw new NotFoundError('item', item.id);
      size += found.size;
      // A short request may refer to one long item many times.
      if (size > MAX_REFERRED_CHARS) throw tooLong();
      return found.item;
    });
  }

  /** Stores a response unless the client forbids it. A fault costs the reference, never the answer. */
  async #keep(
    ownerId: string,
    { store, previous_response_id: previous }: ResponsesBody,
    input: readonly ResponseItem[],
    response: WireResponse,
  ): Promise<boolean> {
    if (store === false) return false;
    try {
      return await this.#stored.keep(ownerId, { previousId: previous ?? null, input, response });
    } catch (error) {
      this.#onFault('A response cannot be stored', error);
      return false;
    }
  }
}

const sizeOf = (item: object) => JSON.stringify(item).length;
