import type { JsonValue } from '#server/core/json';
import type { AnswerEvent, WireFinishReason, WireUsage } from '#server/integrations/openai/answer-events';

/** Fields common to all parts of a response. */
export interface AnswerIdentity {
  readonly id: string;
  /** Epoch seconds. */
  readonly created: number;
  /** The complete id of the responding model. */
  readonly model: string;
  /** Tokens of the request as it is forwarded, estimated before the provider has counted them. */
  readonly inputTokens: number;
}

/** One event of a stream of Server-Sent Events; `name` becomes its `event:` line. */
export interface StreamEvent {
  readonly name?: string;
  readonly data: object;
}

/** Writes the stream of one answer. */
export interface AnswerWriter {
  /** Converts each event of the answer, in order, to events of the stream. */
  write(event: AnswerEvent): readonly StreamEvent[] | Promise<readonly StreamEvent[]>;
  /** The last event after a failure, with the body of an error in this format. */
  fail(body: object): StreamEvent;
}

/** How the events of an answer are written in the format of one API. */
export interface AnswerFormat {
  /** Beginning of the ids of answers. */
  readonly idPrefix: string;
  /** The complete answer as one object. @throws any error of the answer */
  whole(identity: AnswerIdentity, events: AsyncIterable<AnswerEvent>): Promise<object>;
  /** Begins the stream of one answer. */
  stream(identity: AnswerIdentity): AnswerWriter;
  /** What follows the last event of a complete stream. */
  readonly ending: string;
}

/** A tool call of an answer. */
export interface CollectedCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  arguments: string;
}

/** A complete answer. */
export interface CollectedAnswer {
  readonly text: string;
  readonly reasoning: string;
  /** The reasoning as OpenRouter describes it, signed or encrypted. */
  readonly details: readonly JsonValue[];
  readonly calls: readonly CollectedCall[];
  readonly finishReason: WireFinishReason;
  readonly usage: WireUsage | null;
}

/** Collects the events of an answer. @throws any error of the answer */
export async function collectAnswer(events: AsyncIterable<AnswerEvent>): Promise<CollectedAnswer> {
  const said = { text: '', reasoning: '' };
  const details: JsonValue[] = [];
  const calls: CollectedCall[] = [];
  let end: Extract<AnswerEvent, { type: 'end' }> | null = null;
  for await (const event of events) {
    if (event.type === 'text' || event.type === 'reasoning') said[event.type] += event.text;
    else if (event.type === 'repetition') said[event.of] = said[event.of].slice(0, -event.characters);
    else if (event.type === 'reasoning-details') details.push(...event.details);
    else if (event.type === 'call') calls[event.index] = { id: event.id, name: event.name, arguments: '' };
    else if (event.type === 'arguments') appendTo(calls[event.index], event.text);
    else if (event.type === 'end') end = event;
  }
  return { ...said, details, calls, finishReason: end?.finishReason ?? 'stop', usage: end?.usage ?? null };
}

function appendTo(call: CollectedCall | undefined, text: string): void {
  if (call) call.arguments += text;
}
