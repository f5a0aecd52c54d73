import { z } from 'zod';
import type { PartDefinition } from '#server/core/conversation/part-types/part-definition';
import { partDefinitions } from '#server/core/conversation/part-types/registry';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';

type Definitions = typeof partDefinitions;
export type PartType = keyof Definitions;
/** All types of parts. */
export const partTypes = Object.keys(partDefinitions) as [PartType, ...PartType[]];
/** Schema of the content of each part type, as stored in `message_parts.content`. */
export const partContentSchemas = Object.fromEntries(
  partTypes.map((type) => [type, partDefinitions[type].content]),
) as { readonly [T in PartType]: Definitions[T]['content'] };
export type PartContent<T extends PartType> = z.infer<Definitions[T]['content']>;
/** Types whose content the chat shows with a view of the type. None at present. */
export type ShownPartType = {
  [T in PartType]: NonNullable<Definitions[T]['isShown']> extends true ? T : never;
}[PartType];

/** The definition of a type, for parts of any type. */
export function definitionOf<T extends PartType>(type: T): PartDefinition<z.ZodType<PartContent<T>>> {
  // The compiler does not relate the members of a union of definitions to those of a union of contents.
  return partDefinitions[type] as unknown as PartDefinition<z.ZodType<PartContent<T>>>;
}

/**
 * States of a part. A tool call: input-streaming -> pending -> running -> completed | error. While it is `input-streaming`,
 * its input is the JSON text that was written so far. Other parts become `completed` when their text has ended.
 */
export const partStates = ['input-streaming', 'pending', 'running', 'completed', 'error'] as const;
export type PartState = (typeof partStates)[number];

const partFields = {
  id: idOf('prt'),
  messageId: idOf('msg'),
  sessionId: idOf('ses'),
  order: count.describe('Position within the message, from 0'),
  state: z
    .enum(partStates)
    .describe(
      'A tool call goes from `input-streaming` over `pending` and `running` to `completed` or `error`; other parts become `completed` when their text has ended',
    ),
  tokens: count.nullable().describe('Tokens of this part as the model sees it now (uncalibrated); null until counted'),
  originalTokens: count.nullable().describe('Before it was cleared; null while it was not'),
  /** The stored content does not change. */
  compactedAt: time
    .nullable()
    .describe('When its output was cleared from what the model sees, epoch milliseconds; null: it was not'),
  excerptChars: count
    .nullable()
    .describe('Characters of a cleared output that the view still shows; null: only the placeholder'),
  createdAt: time,
};

const partOf = <T extends PartType>(type: T) =>
  z.strictObject({
    ...partFields,
    type: z.literal(type).describe('Kind of the part; it decides the form of `content`'),
    content: partContentSchemas[type],
  });
type PartSchema = { [T in PartType]: ReturnType<typeof partOf<T>> }[PartType];
const partSchemas = partTypes.map(partOf) as [PartSchema, ...PartSchema[]];

export const partSchema = z.discriminatedUnion('type', partSchemas).register(components, { id: 'Part' });

type PartBase = Shape<z.ZodObject<typeof partFields>> & {
  /** False if text of the part that the view leaves out cannot be read with a tool, so the view does not offer it. */
  readonly isRecallable?: false;
};

/** A part of one type. */
export type PartOf<T extends PartType> = PartBase & { readonly type: T; readonly content: PartContent<T> };

/** The smallest unit of a message; a discriminated union on `type`. */
export type Part = { [T in PartType]: PartOf<T> }[PartType];

/** Id with which the model can read the whole part by a tool (`recall_output`); null if it cannot. */
export function recallIdOf({ id, isRecallable }: PartBase): string | null {
  return isRecallable === false ? null : id;
}

/** A tool call. */
export type ToolCallPart = PartOf<'tool-call'>;
/** The result of a tool call. */
export type ToolResultPart = PartOf<'tool-result'>;

/** Only the type and content of a stored or new part. */
export type PartBody = { [T in PartType]: { readonly type: T; readonly content: PartContent<T> } }[PartType];

/** A part before it is stored, as callers pass it to the store. */
export type NewPart = {
  [T in PartType]: {
    readonly type: T;
    readonly content: PartContent<T>;
    readonly state?: PartState;
    readonly tokens?: number;
  };
}[PartType];
