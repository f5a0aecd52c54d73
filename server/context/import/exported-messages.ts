import { z } from 'zod';
import { NOTE_LABEL } from '#server/core/engine-words';
import { type NewMessage, messageStatuses, roles, usageSchema } from '#server/core/messages';
import { type NewPart, partContentSchemas } from '#server/core/parts';
import { fileUrlSchema } from '#server/context/import/data-url';
import type { ImportedMessages } from '#server/context/import/imported-messages';

const part = <T extends keyof typeof partContentSchemas>(type: T) =>
  z.looseObject({ type: z.literal(type), content: partContentSchemas[type] });

const partSchema = z
  .discriminatedUnion('type', [
    part('text'),
    part('reasoning'),
    part('tool-call'),
    part('tool-result'),
    part('file'),
    part('step-start'),
    part('compaction-marker'),
  ])
  .refine(
    (value) => value.type !== 'file' || fileUrlSchema.safeParse(value.content.url).success,
    'a file needs an http(s) or data: URL',
  );
type ExportedPart = z.infer<typeof partSchema>;

const messageSchema = z.looseObject({
  /** Tells them from a UI message, which has parts too. */
  seq: z.number(),
  role: z.enum(roles),
  parts: z.array(partSchema).max(10_000),
  isSummary: z.boolean().default(false),
  supersededBy: z.string().nullable().default(null),
  parentId: z.string().nullable().default(null),
  modelId: z.string().max(200).nullable().default(null),
  status: z.enum(messageStatuses).catch('complete'),
  finishReason: z.string().max(100).nullable().catch(null),
  error: z.string().max(10_000).nullable().catch(null),
  usage: usageSchema.nullable().catch(null),
});
type ExportedMessage = z.infer<typeof messageSchema>;

const likeExported = z.looseObject({
  seq: z.number(),
  parts: z.array(z.unknown()).refine((parts) => parts.some((one) => withContent.safeParse(one).success)),
});
const withContent = z.looseObject({ content: z.looseObject({}) });

/** Whether a message can be meant as ours only: as a UI message, which it resembles, it would lose its texts. */
export function resemblesExported(message: unknown): boolean {
  return likeExported.safeParse(message).success;
}

export function isExportedMessages(input: readonly unknown[]): input is ExportedMessage[] {
  return z.array(messageSchema).safeParse(input).success;
}

/**
 * Messages of our own export (GET /export?format=json, GET /messages). What was said comes back, with how it ended and what
 * it cost; what the engine made
 * of it (summaries, cleared outputs, its own notes) and what an edit replaced does not: a new session has its own.
 */
export function fromExportedMessages(input: readonly unknown[]): ImportedMessages {
  const messages = z.array(messageSchema).parse(input).filter(isSaid).map(toMessage);
  return { messages, instructions: null };
}

function isSaid({ isSummary, supersededBy, role, parentId, parts: [first] }: ExportedMessage): boolean {
  const isNote =
    role === 'user' && parentId !== null && first?.type === 'text' && first.content.text.startsWith(NOTE_LABEL);
  return !isSummary && supersededBy === null && !isNote;
}

/** A report about the view of another session: none has this name. */
const IMPORTED_VIEW = 'imported';

function toMessage({ role, modelId, status, finishReason, error, usage, parts }: ExportedMessage): NewMessage {
  return {
    role,
    modelId,
    // Nobody goes on with it here.
    status: status === 'streaming' ? 'interrupted' : status,
    finishReason,
    error,
    usage: usage && { ...usage, viewKey: IMPORTED_VIEW },
    parts: parts.filter(({ type }) => type !== 'compaction-marker').map(toPart),
  };
}

function toPart({ type, content }: ExportedPart): NewPart {
  const isError = type === 'tool-result' && content.output.type.startsWith('error');
  return { type, content, state: isError ? 'error' : 'completed' } as NewPart;
}
