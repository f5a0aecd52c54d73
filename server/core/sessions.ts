import { z } from 'zod';
import { messageRoles } from '#server/core/messages';
import { components, count, idOf, notes, pageOf, type Shape, time } from '#server/core/shapes';

/* A conversation, and what is exported from it, imported into it and found in it. */

/** Until the first request gives a session its name. */
export const DEFAULT_SESSION_TITLE = 'New conversation';

/** One conversation. */
export const sessionSchema = z
  .strictObject({
    id: idOf('ses'),
    title: z.string().min(1),
    modelId: z.string().nullable().describe('Null: the default model'),
    ownerId: z.string().min(1),
    siteId: z.string().min(1).describe('The site that it works on, an id of `GET /api/sites`'),
    instructions: z.string().nullable().describe('System messages that came with an import or a prepare'),
    compactionCount: count,
    lastCompactionAt: time.nullable(),
    currentlyCompacting: z.boolean(),
    compactingSince: time.nullable(),
    createdAt: time,
    updatedAt: time,
  })
  .register(components, { id: 'Session' });
export type Session = Shape<typeof sessionSchema>;

/** Formats in which a session can be exported. */
export const exportFormats = ['markdown', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The name of our JSON export and its version. */
export const EXPORT_FORMAT = 'throughline/1';

export const importedSchema = z.strictObject({
  messages: count,
  parts: count,
  tokens: count,
  wishes: count.describe('Lasting wishes of an export of ours that are kept from now on'),
  notes: notes.describe('What of the export was not taken over'),
});

/** What a conversation from elsewhere brings beside its messages; stored with the last of them. */
export interface Adopted {
  /** The session's from then on; null: those that it has. */
  readonly instructions?: string | null;
  /** Its title, where the session has none yet. */
  readonly title?: string | undefined;
  /** Lasting wishes, each with the index of the message that says it. */
  readonly wishes?: readonly AdoptedWish[];
}

export interface AdoptedWish {
  readonly quote: string;
  readonly message: number;
}

/** A place where a search found its words. */
export const historyHitSchema = z.strictObject({
  messageId: idOf('msg'),
  partId: idOf('prt'),
  seq: z.number().int().min(1),
  role: z.enum(messageRoles),
  kind: z.enum(['text', 'tool-call', 'tool-result']),
  toolName: z.string().optional(),
  snippet: z.string(),
  turnId: z.string().nullable().describe('Null: from before there were turns'),
  createdAt: time,
});

/** A message of any session in which a search found its words. */
const sessionHitSchema = z.strictObject({
  sessionId: idOf('ses'),
  /** Title of the session. */
  title: z.string(),
  ...historyHitSchema.shape,
});
export type SessionHit = Shape<typeof sessionHitSchema>;
export const sessionHitPageSchema = pageOf(sessionHitSchema);
