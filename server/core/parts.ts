import { z } from 'zod';
import { jsonValueSchema } from '#server/core/json';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';

/** Provider-specific data (reasoning signatures, cache hints) that must go back to the provider unchanged. */
const providerMetadataSchema = z.record(z.string(), z.record(z.string(), jsonValueSchema));

/** Output of a tool, in the wire-neutral shape that models accept. */
export const toolOutputSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), value: z.string() }),
  z.object({ type: z.literal('json'), value: jsonValueSchema }),
  z.object({ type: z.literal('error-text'), value: z.string() }),
  z.object({ type: z.literal('error-json'), value: jsonValueSchema }),
  z.object({ type: z.literal('execution-denied'), reason: z.string().optional() }),
  z.object({ type: z.literal('content'), value: z.array(z.looseObject({ type: z.string() })) }),
]);
export type ToolOutput = z.infer<typeof toolOutputSchema>;

/** Page that somebody has open in the preview. */
export const previewSchema = z.object({
  /** On the site, `/` for the home page. */
  path: z.string().min(1).max(500),
  state: z.enum(['draft', 'published']),
  /** Id of the section on it that is chosen. */
  section: z.string().min(1).max(80).optional(),
});

/** Name of a time zone that this server knows, such as `Europe/Berlin`. */
export const zoneSchema = z.string().min(1).max(60).refine(isTimeZone, 'is not the name of a time zone');

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The JSON of each part type, as it is stored in `message_parts.content`. */
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
    /** The output was cut at its source (see Truncation). */
    truncated: z.boolean().optional(),
    /** Run time of the tool, milliseconds. */
    durationMs: z.number().optional(),
    /** Revisions at which the model saw things of the site by this result (see server/tools/guarded-content). */
    seen: z.record(z.string(), z.number()).optional(),
  }),
  file: z.object({
    mediaType: z.string(),
    filename: z.string().optional(),
    /** A `data:` or `https:` URL, or `@blob:<id>`: bytes that are stored once, beside the messages (core/files). */
    url: z.string(),
    /** Bytes of a blob. */
    size: z.number().int().positive().optional(),
    /** Pixels of an image, read once from its bytes when the part was written. */
    width: z.number().int().positive().optional(),
    height: z.number().int().positive().optional(),
    /** Pages of a PDF, likewise. */
    pages: z.number().int().positive().optional(),
    /** Detail at which a model looks at an image, in the words of the client's format: low, high. */
    detail: z.string().optional(),
  }),
  /** The site and the moment as the app told them with a message: information, never words of the user. */
  situation: z.object({
    /** As the model reads it; empty until the turn of its message begins. */
    text: z.string(),
    /** Page that the sender's preview showed. */
    preview: previewSchema.optional(),
    /** The chosen section as it was told, for what "this" in the user's words means. */
    chosen: z.string().optional(),
    /** Time zone of the sender's browser. */
    zone: zoneSchema.optional(),
    /** Lines that hold from here on by what each is about, also those told earlier; `text` tells what is new of them. */
    facts: z.record(z.string(), z.string()).optional(),
    siteId: z.string().optional(),
    /** The newest change of the site then; null: there was none. */
    changeId: z.string().nullable().optional(),
    /** Its revision: somebody who types goes on with a change. */
    changeRevision: z.number().int().optional(),
    /** It tells everything, not only what differs from the one before. */
    isFull: z.boolean().optional(),
  }),
  /** Text that the user had selected on a page: data of the site, not words of the user. */
  selection: z.object({ text: z.string(), source: z.string() }),
  'step-start': z.object({}),
  'compaction-marker': z.object({
    summary: z.string(),
    /** The model's narrative, without what code keeps; empty: none. Left out in rows from before. */
    narrative: z.string().optional(),
    /** Epoch milliseconds. */
    compactedAt: z.number(),
    messagesCompacted: z.number(),
    /** Tokens of the view before this compaction. */
    originalTokens: z.number(),
    /** 1 for the session's first compaction. */
    round: z.number(),
  }),
} as const;

export type PartType = keyof typeof partContentSchemas;
export const partTypes = Object.keys(partContentSchemas) as [PartType, ...PartType[]];
export type PartContent<T extends PartType> = z.infer<(typeof partContentSchemas)[T]>;

/** Tools only: pending -> running -> completed | error. Other parts are `completed` once their text has ended. */
export const partStates = ['pending', 'running', 'completed', 'error'] as const;
export type PartState = (typeof partStates)[number];

const partFields = {
  id: idOf('prt'),
  messageId: idOf('msg'),
  sessionId: idOf('ses'),
  /** Position within the message, from 0. */
  order: count,
  state: z.enum(partStates),
  /** Tokens as the model sees this part now (uncalibrated); null until counted. */
  tokens: count.nullable(),
  originalTokens: count.nullable().describe('Before it was cleared; null while it was not'),
  /** The content itself stays. */
  compactedAt: time.nullable().describe('When its output was cleared from what the model sees'),
  /** Characters of a cleared output that the view still shows; null: only the placeholder. */
  excerptChars: count.nullable(),
  createdAt: time,
};

const partOf = <T extends PartType>(type: T) =>
  z.strictObject({ ...partFields, type: z.literal(type), content: partContentSchemas[type] });
type PartSchema = { [T in PartType]: ReturnType<typeof partOf<T>> }[PartType];
const partSchemas = partTypes.map(partOf) as [PartSchema, ...PartSchema[]];

export const partSchema = z.discriminatedUnion('type', partSchemas).register(components, { id: 'Part' });

type PartBase = Shape<z.ZodObject<typeof partFields>> & {
  /** False: nothing brings back what the view leaves out of it, so that the view promises no recall. */
  readonly isRecallable?: false;
};

export type PartOf<T extends PartType> = PartBase & { readonly type: T; readonly content: PartContent<T> };

/** The smallest unit of a message; a discriminated union on `type`. */
export type Part = { [T in PartType]: PartOf<T> }[PartType];

/** Id by which a recall tool brings the whole part back; null where there is none. */
export function recallIdOf({ id, isRecallable }: Pick<PartBase, 'id' | 'isRecallable'>): string | null {
  return isRecallable === false ? null : id;
}

export type ToolCallPart = PartOf<'tool-call'>;
export type ToolResultPart = PartOf<'tool-result'>;

/** Type and content alone, of a stored part or a new one. */
export type PartBody = { [T in PartType]: { readonly type: T; readonly content: PartContent<T> } }[PartType];

/** A part before it has a row: what callers give to the store. */
export type NewPart = {
  [T in PartType]: {
    readonly type: T;
    readonly content: PartContent<T>;
    readonly state?: PartState;
    readonly tokens?: number;
  };
}[PartType];
