import type { JsonValue } from '#server/core/json';
import type { AnswerEvent, WireUsage } from '#server/integrations/openai/answer-events';
import type {
  AnswerFormat,
  AnswerIdentity,
  AnswerWriter,
  StreamEvent,
} from '#server/integrations/openai/answer-format';
import type { ResponsesBody } from '#server/integrations/openai/responses/responses-body';
import { encodeReasoning } from '#server/integrations/openai/encoded-reasoning';

/* Responses in the format of Open Responses: as events of a stream, or as one object. */

/** Prefix of the ids of responses. Ids of their items contain the rest of it, so that an item names its response. */
const ID_PREFIX = 'resp_';

/** The id of the response to which an item belongs; null if its id is not one of ours. */
export function responseIdOf(itemId: string): string | null {
  const hash = /^(?:msg|fc|rs)_([0-9a-f]{32})_\d+$/.exec(itemId)?.[1];
  return hash === undefined ? null : `${ID_PREFIX}${hash}`;
}

/** An item of the output, in the form that is stored and sent. */
export type OutputItem = { readonly id: string; readonly type: string } & Record<string, unknown>;

/** A complete response. */
export type WireResponse = { readonly id: string; readonly output: readonly OutputItem[] } & Record<string, unknown>;

/**
 * The format of POST /v1/responses.
 * @param body what was asked, which the response repeats
 * @param onComplete stores the complete response; returns whether it can be referred to
 */
export function responsesFormat(
  body: ResponsesBody,
  onComplete: (response: WireResponse) => Promise<boolean>,
): AnswerFormat {
  return {
    idPrefix: ID_PREFIX,
    async whole(identity, events) {
      const writer = new ResponseWriter(identity, body, onComplete);
      for await (const event of events) await writer.write(event);
      return writer.response();
    },
    stream: (identity) => new ResponseWriter(identity, body, onComplete),
    ending: '',
  };
}

/** Writes one response. Its items open when their first piece comes, and several calls may be open at once. */
class ResponseWriter implements AnswerWriter {
  readonly #identity: AnswerIdentity;
  readonly #body: ResponsesBody;
  readonly #onComplete: (response: WireResponse) => Promise<boolean>;
  #sequence = 0;
  #hasStarted = false;
  readonly #items: OpenItem[] = [];
  readonly #calls: CallItem[] = [];
  /** The text or reasoning that further pieces belong to. */
  #open: TextItem | ReasoningItem | null = null;
  #end: Extract<AnswerEvent, { type: 'end' }> | null = null;
  /** Epoch seconds. */
  #endedAt: number | null = null;
  #isStored: boolean;

  constructor(identity: AnswerIdentity, body: ResponsesBody, onComplete: (response: WireResponse) => Promise<boolean>) {
    this.#identity = identity;
    this.#body = body;
    this.#onComplete = onComplete;
    this.#isStored = body.store !== false;
  }

  /** The events of the stream for one event of the answer. */
  async write(event: AnswerEvent): Promise<StreamEvent[]> {
    const events = this.#begin();
    switch (event.type) {
      case 'compacting':
        break;
      case 'repetition':
        if (this.#open?.of === event.of) this.#open.text = this.#open.text.slice(0, -event.characters);
        break;
      case 'text':
        events.push(...this.#append('text', event.text));
        break;
      case 'reasoning':
        events.push(...this.#append('reasoning', event.text));
        break;
      case 'reasoning-details':
        events.push(...this.#describe(event.details));
        break;
      case 'call': {
        const call = new CallItem(this.#place('fc'), event);
        events.push(...this.#close());
        this.#calls[event.index] = call;
        events.push(...this.#add(call));
        break;
      }
      case 'arguments':
        events.push(...this.#write(this.#calls[event.index]?.append(event.text) ?? []));
        break;
      case 'end':
        events.push(...(await this.#complete(event)));
        break;
    }
    return events;
  }

  fail(body: object): StreamEvent {
    const error = 'error' in body ? body.error : body;
    const response = { ...this.response(), status: 'failed', error, store: false };
    return { name: 'response.failed', data: this.#number('response.failed', { response }) };
  }

  /** The response as far as it is written, with every field that Open Responses requires. */
  response(): WireResponse {
    const { id, created, model } = this.#identity;
    const { instructions, previous_response_id: previous, tool_choice: choice, text, metadata } = this.#body;
    const reason = this.#end ? INCOMPLETE[this.#end.finishReason] : undefined;
    return {
      id,
      object: 'response',
      created_at: created,
      completed_at: reason === undefined ? this.#endedAt : null,
      status: this.#end ? (reason === undefined ? 'completed' : 'incomplete') : 'in_progress',
      background: false,
      error: null,
      incomplete_details: reason === undefined ? null : { reason },
      instructions: instructions ?? null,
      max_output_tokens: this.#body.max_output_tokens ?? null,
      max_tool_calls: null,
      model,
      output: this.#end ? this.#items.map((item) => item.done()) : [],
      parallel_tool_calls: this.#body.parallel_tool_calls ?? true,
      previous_response_id: previous ?? null,
      reasoning: { effort: this.#body.reasoning?.effort ?? null, summary: null },
      store: this.#isStored,
      temperature: this.#body.temperature ?? 1,
      text: { format: text?.format ?? { type: 'text' }, ...(text?.verbosity && { verbosity: text.verbosity }) },
      tool_choice: choice ?? 'auto',
      tools: offeredTools(this.#body),
      top_p: this.#body.top_p ?? 1,
      top_logprobs: 0,
      presence_penalty: 0,
      frequency_penalty: 0,
      service_tier: 'default',
      user: this.#body.user ?? null,
      safety_identifier: null,
      prompt_cache_key: null,
      truncation: 'disabled',
      usage: this.#end ? usageOf(this.#end.usage) : null,
      metadata: metadata ?? {},
    };
  }

  #begin(): StreamEvent[] {
    if (this.#hasStarted) return [];
    this.#hasStarted = true;
    const response = this.response();
    return this.#write([
      { name: 'response.created', fields: { response } },
      { name: 'response.in_progress', fields: { response } },
    ]);
  }

  #place(prefix: string): ItemPlace {
    const index = this.#items.length;
    return { index, id: `${prefix}_${this.#identity.id.slice(ID_PREFIX.length)}_${index}` };
  }

  #append(kind: 'text' | 'reasoning', text: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    if (this.#open?.of !== kind) {
      events.push(...this.#close());
      this.#open = kind === 'text' ? new TextItem(this.#place('msg')) : new ReasoningItem(this.#place('rs'));
      events.push(...this.#add(this.#open));
    }
    return [...events, ...this.#write(this.#open?.append(text) ?? [])];
  }

  /** Signed reasoning without readable text gets an item of its own. */
  #describe(details: readonly JsonValue[]): StreamEvent[] {
    const events = this.#open?.of === 'reasoning' ? [] : this.#append('reasoning', '');
    if (this.#open?.of === 'reasoning') this.#open.details.push(...details);
    return events;
  }

  #add(item: OpenItem): StreamEvent[] {
    this.#items.push(item);
    return this.#write(item.added());
  }

  /** Ends the open text or reasoning; calls end with the response. */
  #close(): StreamEvent[] {
    const open = this.#open;
    this.#open = null;
    return open ? this.#write(open.ended()) : [];
  }

  async #complete(end: Extract<AnswerEvent, { type: 'end' }>): Promise<StreamEvent[]> {
    if (INCOMPLETE[end.finishReason] !== undefined)
      for (const item of this.#items.slice(-1)) item.status = 'incomplete';
    const events = this.#close();
    for (const call of Object.values(this.#calls)) events.push(...this.#write(call.ended()));
    this.#end = end;
    this.#endedAt = Math.floor(Date.now() / 1_000);
    this.#isStored = await this.#onComplete(this.response());
    const response = this.response();
    return [...events, ...this.#write([{ name: `response.${String(response['status'])}`, fields: { response } }])];
  }

  /** Numbers events; the type of an event stands in its data too. */
  #write(events: readonly NamedEvent[]): StreamEvent[] {
    return events.map(({ name, fields }) => ({ name, data: this.#number(name, fields) }));
  }

  #number(type: string, fields: object) {
    const data = { type, sequence_number: this.#sequence, ...fields };
    this.#sequence += 1;
    return data;
  }
}

/** The functions among the tools: others are not offered to the model. */
function offeredTools({ tools }: ResponsesBody) {
  return (tools ?? []).flatMap(({ type, name, description, parameters, strict }) =>
    type === 'function'
      ? [
          {
            type,
            name,
            description: description ?? null,
            parameters: parameters ?? null,
            strict: strict ?? null,
          },
        ]
      : [],
  );
}

const INCOMPLETE: Readonly<Partial<Record<string, string>>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

function usageOf({ prompt_tokens, completion_tokens, total_tokens, ...details }: WireUsage) {
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: { cached_tokens: details.prompt_tokens_details.cached_tokens },
    output_tokens: completion_tokens,
    output_tokens_details: { reasoning_tokens: details.completion_tokens_details.reasoning_tokens },
    total_tokens,
  };
}

/** An event before it has a number. */
interface NamedEvent {
  readonly name: string;
  readonly fields: object;
}

/** Where an item stands in the output. */
interface ItemPlace {
  readonly id: string;
  readonly index: number;
}

/** An item that is being written. */
interface OpenItem {
  /** Of the complete item. */
  status: 'completed' | 'incomplete';
  /** The events that begin it, and those that end it. */
  added(): NamedEvent[];
  ended(): NamedEvent[];
  /** The complete item. */
  done(): OutputItem;
}

const itemEvent = (name: 'added' | 'done', { index }: ItemPlace, item: OutputItem): NamedEvent => ({
  name: `response.output_item.${name}`,
  fields: { output_index: index, item },
});

class TextItem implements OpenItem {
  readonly of = 'text';
  text = '';
  status: OpenItem['status'] = 'completed';
  readonly #place: ItemPlace;

  constructor(place: ItemPlace) {
    this.#place = place;
  }

  added(): NamedEvent[] {
    const item = { ...this.done(), status: 'in_progress', content: [] };
    return [itemEvent('added', this.#place, item), this.#event('content_part.added', { part: partOf('') })];
  }

  append(text: string): NamedEvent[] {
    this.text += text;
    return [this.#event('output_text.delta', { delta: text, logprobs: [] })];
  }

  ended(): NamedEvent[] {
    return [
      this.#event('output_text.done', { text: this.text, logprobs: [] }),
      this.#event('content_part.done', { part: partOf(this.text) }),
      itemEvent('done', this.#place, this.done()),
    ];
  }

  done(): OutputItem {
    const { id } = this.#place;
    return { id, type: 'message', status: this.status, role: 'assistant', content: [partOf(this.text)] };
  }

  #event(name: string, fields: object): NamedEvent {
    const { id, index } = this.#place;
    return { name: `response.${name}`, fields: { item_id: id, output_index: index, content_index: 0, ...fields } };
  }
}

function partOf(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

class ReasoningItem implements OpenItem {
  readonly of = 'reasoning';
  text = '';
  status: OpenItem['status'] = 'completed';
  readonly details: JsonValue[] = [];
  readonly #place: ItemPlace;

  constructor(place: ItemPlace) {
    this.#place = place;
  }

  added(): NamedEvent[] {
    return [
      itemEvent('added', this.#place, { ...this.done(), summary: [] }),
      this.#event('reasoning_summary_part.added', { part: summaryOf('') }),
    ];
  }

  append(text: string): NamedEvent[] {
    this.text += text;
    return text === '' ? [] : [this.#event('reasoning_summary_text.delta', { delta: text })];
  }

  ended(): NamedEvent[] {
    return [
      this.#event('reasoning_summary_text.done', { text: this.text }),
      this.#event('reasoning_summary_part.done', { part: summaryOf(this.text) }),
      itemEvent('done', this.#place, this.done()),
    ];
  }

  done(): OutputItem {
    const summary = this.text === '' ? [] : [summaryOf(this.text)];
    const encoded = this.details.length > 0 ? { encrypted_content: encodeReasoning(this.details) } : {};
    return { id: this.#place.id, type: 'reasoning', summary, ...encoded };
  }

  #event(name: string, fields: object): NamedEvent {
    const { id, index } = this.#place;
    return { name: `response.${name}`, fields: { item_id: id, output_index: index, summary_index: 0, ...fields } };
  }
}

function summaryOf(text: string) {
  return { type: 'summary_text', text };
}

class CallItem implements OpenItem {
  status: OpenItem['status'] = 'completed';
  readonly #place: ItemPlace;
  readonly #callId: string;
  readonly #name: string;
  #arguments = '';

  constructor(place: ItemPlace, { id, name }: { readonly id: string; readonly name: string }) {
    this.#place = place;
    this.#callId = id;
    this.#name = name;
  }

  added(): NamedEvent[] {
    return [itemEvent('added', this.#place, { ...this.done(), status: 'in_progress' })];
  }

  append(text: string): NamedEvent[] {
    this.#arguments += text;
    return [this.#event('delta', { delta: text })];
  }

  ended(): NamedEvent[] {
    return [
      this.#event('done', { name: this.#name, arguments: this.#arguments }),
      itemEvent('done', this.#place, this.done()),
    ];
  }

  done(): OutputItem {
    return {
      id: this.#place.id,
      type: 'function_call',
      status: this.status,
      call_id: this.#callId,
      name: this.#name,
      arguments: this.#arguments,
    };
  }

  #event(name: string, fields: object): NamedEvent {
    const { id, index } = this.#place;
    const at = { item_id: id, output_index: index };
    return { name: `response.function_call_arguments.${name}`, fields: { ...at, ...fields } };
  }
}
