import { z } from 'zod';
import { createId } from '#server/core/ids';
import { type NewPart, type Part, partContentSchemas, partStates } from '#server/core/conversation/parts';
import type { messageParts } from '#server/platform/database/schema/sessions';
import { parseJsonColumn } from '#server/platform/database/json-column';

export type PartRow = typeof messageParts.$inferSelect;

/** Position of a new part. */
export interface PartPlace {
  readonly messageId: string;
  readonly sessionId: string;
  readonly order: number;
  /** Epoch ms. */
  readonly createdAt: number;
}

/**
 * Parses the part in a row.
 *
 * @throws CorruptRowError if its content does not fit its type.
 */
export function partFromRow(row: PartRow): Part {
  const { content: text, ...columns } = row;
  const content = parseJsonColumn<Part['content']>(partContentSchemas[row.type], text, {
    table: 'message_parts',
    id: row.id,
  });
  // The schema was chosen by the type, which the compiler cannot infer.
  return { ...columns, content } as Part;
}

/** The row for a new part; the default of its state is `completed`. */
export function partToRow(part: NewPart, place: PartPlace): PartRow {
  return {
    id: createId('prt'),
    ...place,
    type: part.type,
    state: part.state ?? 'completed',
    content: encodeContent(part.content),
    tokens: part.tokens ?? null,
    originalTokens: null,
    compactedAt: null,
    excerptChars: null,
  };
}

/** The stored form of a part's content. */
export function encodeContent(content: NewPart['content']): string {
  return JSON.stringify(content);
}

/** Parts without rows, as in a queued message. */
export const newPartsSchema = z.array(
  z.union(
    Object.entries(partContentSchemas).map(([type, content]) =>
      z.object({ type: z.literal(type), content, state: z.enum(partStates).optional(), tokens: z.number().optional() }),
    ),
  ) as unknown as z.ZodType<NewPart>,
);
