import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { describedJson, jsonValueSchema } from '#server/core/json';
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
)
  .describe('Data of a provider by its name, such as signatures of reasoning: goes back to that provider unchanged')
  .register(components, { id: 'ProviderMetadata' });

const providerMetadata = providerMetadataSchema.optional();

/** Id that the model, or the client of an import, gave a tool call. */
export const toolCallIdSchema = z
  .string()
  .describe('Id of the tool call, as its model gave it: call and result share it');
/** Name of the tool of a call. */
export const toolNameSchema = z.string().describe('Name of the called tool');

/** Text of a model or a person, with data of its provider. */
const writtenSchema = z
  .object({
    text: z.string().describe('The text; while it is written, what there is so far'),
    providerMetadata,
  })
  .describe('A text with data of its provider');

/** Output of a tool, in the provider-independent shape that models accept. */
export const toolOutputSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text').describe('The output is a text'), value: z.string().describe('The text') }),
    z.object({ type: z.literal('json').describe('The output is JSON'), value: describedJson('The output') }),
    z.object({
      type: z.literal('error-text').describe('The call failed; the reason is a text'),
      value: z.string().describe('The reason'),
    }),
    z.object({
      type: z.literal('error-json').describe('The call failed; the reason is JSON'),
      value: describedJson('The reason'),
    }),
    z.object({
      type: z.literal('execution-denied').describe('The call was denied and did not run'),
      reason: z.string().optional().describe('Why it was denied, for the model; absent: no reason was given'),
    }),
    z.object({
      type: z.literal('content').describe('The output has several items, such as texts and images'),
      value: z
        .array(
          z.looseObject({
            type: z
              .string()
              .describe(
                "Kind of the item in the AI SDK's tool output: `text`, `file` or another; its other fields depend on it",
              ),
          }),
        )
        .max(MAX_ITEMS)
        .describe('The items in order'),
    }),
  ])
  .describe('What a tool returned, in the form of the AI SDK')
  .register(components, { id: 'ToolOutput' });
export type ToolOutput = z.infer<typeof toolOutputSchema>;

/** Page that the user has open in the preview. */
export const previewSchema = z
  .object({
    path: z.string().min(1).max(500).describe('Path on the site, `/` for the home page'),
    state: z.enum(['draft', 'published']).describe('Version of the page that the preview shows'),
    section: z.string().min(1).max(80).optional().describe('Id of the selected section on it'),
  })
  .describe('A page that is open in the preview')
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
  text: writtenSchema,
  reasoning: writtenSchema,
  'tool-call': z
    .object({
      toolCallId: toolCallIdSchema,
      toolName: toolNameSchema,
      input: describedJson(
        'Arguments of the call as the model wrote them; while the part is `input-streaming`, the JSON text so far',
      ),
      providerMetadata,
    })
    .describe('A tool call of the model'),
  'tool-result': z
    .object({
      toolCallId: toolCallIdSchema,
      toolName: toolNameSchema,
      output: toolOutputSchema,
      truncated: z
        .boolean()
        .optional()
        .describe('True if the output was cut because it exceeds its limit (truncation)'),
      durationMs: z.number().optional().describe('Run time of the tool, milliseconds'),
      seen: boundedRecord(z.string(), z.number(), MAX_ITEMS)
        .optional()
        .describe(
          'Revisions of the entries and sections that the model read in this result, by id; absent: it read none',
        ),
    })
    .describe('The result of a tool call'),
  file: z
    .object({
      mediaType: z.string().describe('Media type such as `image/png`'),
      filename: z.string().optional().describe('Name of the file for people; absent: it came without one'),
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
        .describe(
          'Width of an image in pixels, read once from its bytes when the part was written; absent: unknown or no image',
        ),
      height: z
        .number()
        .int()
        .positive()
        .optional()
        .describe('Height of an image in pixels; absent: unknown or no image'),
      pages: z.number().int().positive().optional().describe('Number of pages of a PDF, also read once'),
      detail: z
        .string()
        .optional()
        .describe("Detail at which a model receives an image, as named in the client's format: low, high"),
    })
    .describe('A file, such as an image'),
  situation: z
    .object({
      text: z.string().describe('Text for the model; empty until the turn of its message starts'),
      preview: previewSchema.optional().describe("Page in the sender's preview; absent: none was open"),
      chosen: z
        .string()
        .optional()
        .describe(
          'Text about the selected section, which explains "this" in the user\'s words; absent: none was selected',
        ),
      zone: zoneSchema.optional().describe("Time zone of the sender's browser; absent: the server's is used"),
      facts: boundedRecord(z.string(), z.string(), MAX_ITEMS)
        .optional()
        .describe(
          'Lines that are valid from here on, by subject, including earlier ones; `text` contains only what is new',
        ),
      siteId: z.string().optional().describe('Id of the site that the lines are about, as `GET /api/sites` names it'),
      changeId: z
        .string()
        .nullable()
        .optional()
        .describe('Id of the newest change of the site at that time; null: the site had none'),
      changeRevision: z
        .number()
        .int()
        .optional()
        .describe('Revision of that change, because continued typing extends a change'),
      isFull: z
        .boolean()
        .optional()
        .describe('True if it contains everything, not only the differences from the previous one. Absent: false'),
    })
    .describe('The environment context that the app added to a message: information, never words of the user'),
  selection: z
    .object({
      text: z.string().describe('The selected text'),
      source: z.string().describe('Place where it was selected, such as the path of a page'),
    })
    .describe('Text that the user had selected on a page: data of the site, not words of the user'),
  'step-start': z.object({}).describe('Empty: the part only marks where a step of the turn begins'),
  'compaction-marker': z
    .object({
      summary: z.string().describe('The complete summary that the model reads in place of the compacted messages'),
      narrative: z
        .string()
        .optional()
        .describe("The model's narrative, without the facts that code keeps; empty: none. Absent in older rows"),
      compactedAt: z.number().describe('Epoch milliseconds'),
      messagesCompacted: z.number().describe('Number of messages that the summary replaces'),
      originalTokens: z.number().describe('Tokens of the view before this compaction'),
      round: z.number().describe("1 for the session's first compaction"),
    })
    .describe('The summary of a compaction'),
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
