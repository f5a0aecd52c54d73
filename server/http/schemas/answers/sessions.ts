import { z } from 'zod';
import { count, idOf, time } from '#server/http/schemas/answers/fields';
import { components } from '#server/http/schemas/components';

export const sessionSchema = z
  .strictObject({
    id: idOf('ses'),
    title: z.string().min(1),
    modelId: z.string().nullable().describe('Null: the default model'),
    ownerId: z.string().min(1),
    instructions: z.string().nullable().describe('System messages that came with an import or a prepare'),
    compactionCount: count,
    lastCompactionAt: time.nullable(),
    currentlyCompacting: z.boolean(),
    compactingSince: time.nullable(),
    createdAt: time,
    updatedAt: time,
  })
  .register(components, { id: 'Session' });

export const importedSchema = z.strictObject({ messages: count, parts: count, tokens: count });

/** What an undo in the session would take back. */
export const undoableSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal(null) }),
  z.strictObject({
    kind: z.enum(['change', 'compaction', 'prune']),
    id: z.string().min(1),
    summary: z.string().min(1),
    createdAt: time,
  }),
]);

/** Where the words are that were looked for, the best first. */
export const historyHitSchema = z.strictObject({
  messageId: idOf('msg'),
  partId: idOf('prt'),
  seq: z.number().int().min(1),
  role: z.enum(['user', 'assistant', 'tool']),
  kind: z.enum(['text', 'tool-call', 'tool-result']),
  toolName: z.string().optional(),
  snippet: z.string(),
  createdAt: time,
});
