import { z } from 'zod';
import { createId } from '#server/core/ids';
import { partContentSchemas, partStates, type NewPart, type Part } from '#server/core/parts';
import { parseJsonColumn } from '#server/store/json-column';
import type { messageParts } from '#server/store/schema';

export type PartRow = typeof messageParts.$inferSelect;

/** Where a new part goes. */
export interface PartPlace {
  readonly messageId: string;
  readonly sessionId: string;
  readonly order: number;
  /** Epoch ms. */
  readonly createdAt: number;
}

/**
 * The part that a row holds.
 *
 * @throws CorruptRowError when its content does not fit its type.
 */
export function partFromRow(row: PartRow): Part {
  const { content: text, ...columns } = row;
  const content = parseJsonColumn<Part['content']>(partContentSchemas[row.type], text, {
    table: 'message_parts',
    id: row.id,
  });
  // The schema was chosen by the type, which the compiler cannot follow.
  return { ...columns, content } as Part;
}

/** The row for a new part; its state is `completed` unless it says otherwise. */
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

/** Parts without rows, as a queued message holds them. */
export const newPartsSchema = z.array(
  z.union(
    Object.entries(partContentSchemas).map(([type, content]) =>
      z.object({ type: z.literal(type), content, state: z.enum(partStates).optional(), tokens: z.number().optional() }),
    ),
  ) as unknown as z.ZodType<NewPart>,
);
