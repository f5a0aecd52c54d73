import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { jsonValueSchema } from '#server/core/json';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';

/** Maximum providers in the metadata of a part, and maximum fields of each; providers send a handful. */
const MAX_METADATA = 200;
/** Maximum items of a tool's output, and entries of the site that one call reads. Far above real values. */
const MAX_ITEMS = 100_000;

/** Provider-specific data (reasoning signatures, cache hints) that must go back to the provider unchanged. */
export const providerMetadataSchema = boundedRecord(
  z.string(),
  boundedRecord(z.string(), jsonValueSchema, MAX_METADATA),
  MAX_METADATA,
).register(components, { id: 'ProviderMetadata' });

/** Output of a tool, in the provider-independent shape that models accept. */
export const toolOutputSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), value: z.string() }),
    z.object({ type: z.literal('json'), value: jsonValueSchema }),
    z.object({ type: z.literal('error-text'), value: z.string() }),
    z.object({ type: z.literal('error-json'), value: jsonValueSchema }),
    z.object({ type: z.literal('execution-denied'), reason: z.string().optional() }),
    z.object({ type: z.literal('content'), value: z.array(z.looseObject({ type: z.string() })).max(MAX_ITEMS) }),
  ])
  .register(components, { id: 'ToolOutput' });
export type ToolOutput = z.infer<typeof toolOutputSchema>;

/** Page that the user has open in the preview. */
export const previewSchema = z
  .object({
    path: z.string().min(1).max(500).describe('Path on the site, `/` for the home page'),
    state: z.enum(['draft', 'published']),
    section: z.string().min(1).max(80).optional().describe('Id of the selected section on it'),
  })
  .register(components, { id: 'OpenPreview' });

/** Name of a time zone that this server knows, such as `Europe/Berlin`. */
export const zoneSchema = z.string().min(1).max(60).refine(isTimeZone, 'is not the name of a time zone');

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Schema of the content of each part type, as stored in `message_parts.content`. Older rows must stay valid. */
export const partContentSchemas = {
  text: z.object({ text: z.string(), providerMetadata: providerMetadataSchema.optional() }),
  reasoning: z.object({ text: z.string(), providerMetadata: providerMetadataSchema.optional() }),
  'tool-call': z.object({
    toolCallId: z.string(),
    toolName: z.string(),
    input: jsonValueSchema,
    providerMetadata: providerMetadataSchema.optional(),
  }),
  'tool-result': z.object({
    toolCallId: z.string(),
    toolName: z.string(),
    output: toolOutputSchema,
    truncated: z.boolean().optional().describe('True if the output was cut because it exceeds its limit (truncation)'),
    durationMs: z.number().optional().describe('Run time of the tool, milliseconds'),
    /** Revisions of the entries and sections that the model read in this result (server/tools/stale-read-guard). */
    seen: boundedRecord(z.string(), z.number(), MAX_ITEMS).optional(),
  }),
  file: z.object({
    mediaType: z.string(),
    filename: z.string().optional(),
    url: z
      .string()
      .describe(
        'A `data:` or `https:` URL, or `@blob:<id>`: bytes that are stored once, separately from the messages (core/conversation/blobs)',
      ),
    size: z.number().int().positive().optional().describe('Size of a blob in bytes'),
    width: z
      .number()
      .int()
      .positive()
      .optional()
      .describe('Size of an image in pixels, read once from its bytes when the part was written'),
    height: z.number().int().positive().optional(),
    pages: z.number().int().positive().optional().describe('Number of pages of a PDF, also read once'),
    detail: z
      .string()
      .optional()
      .describe("Detail at which a model receives an image, as named in the client's format: low, high"),
  }),
  situation: z
    .object({
      /** Text for the model; empty until the turn of its message starts. */
      text: z.string(),
      /** Page in the sender's preview. */
      preview: previewSchema.optional(),
      /** The text about the selected section, which explains "this" in the user's words. */
      chosen: z.string().optional(),
      /** Time zone of the sender's browser. */
      zone: zoneSchema.optional(),
      /**
       * Lines that are valid from here on, keyed by subject, including earlier ones; `text` contains only what is new.
       */
      facts: boundedRecord(z.string(), z.string(), MAX_ITEMS).optional(),
      siteId: z.string().optional(),
      /** The newest change of the site at that time; null: none. */
      changeId: z.string().nullable().optional(),
      /** Its revision, because continued typing extends a change. */
      changeRevision: z.number().int().optional(),
      /** True if it contains everything, not only the differences from the previous one. */
      isFull: z.boolean().optional(),
    })
    .describe('The environment context that the app added to a message: information, never words of the user'),
  selection: z
    .object({ text: z.string(), source: z.string() })
    .describe('Text that the user had selected on a page: data of the site, not words of the user'),
  'step-start': z.object({}),
  'compaction-marker': z.object({
    summary: z.string(),
    narrative: z
      .string()
      .optional()
      .describe("The model's narrative, without the facts that code keeps; empty: none. Absent in older rows"),
    compactedAt: z.number().describe('Epoch milliseconds'),
    messagesCompacted: z.number(),
    originalTokens: z.number().describe('Tokens of the view before this compaction'),
    round: z.number().describe("1 for the session's first compaction"),
  }),
} as const;

export type PartType = keyof typeof partContentSchemas;
/** All types of parts. */
export const partTypes = Object.keys(partContentSchemas) as [PartType, ...PartType[]];
export type PartContent<T extends PartType> = z.infer<(typeof partContentSchemas)[T]>;

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
  state: z.enum(partStates),
  tokens: count.nullable().describe('Tokens of this part as the model sees it now (uncalibrated); null until counted'),
  originalTokens: count.nullable().describe('Before it was cleared; null while it was not'),
  /** The stored content does not change. */
  compactedAt: time.nullable().describe('When its output was cleared from what the model sees'),
  excerptChars: count
    .nullable()
    .describe('Characters of a cleared output that the view still shows; null: only the placeholder'),
  createdAt: time,
};

const partOf = <T extends PartType>(type: T) =>
  z.strictObject({ ...partFields, type: z.literal(type), content: partContentSchemas[type] });
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
