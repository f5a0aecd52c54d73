import { z } from 'zod';
import { createId } from '#server/core/ids';
import { type NewPart, type Part, partContentSchemas, partStates } from '#server/core/parts';
import type { messageParts } from '#server/store/schema/sessions';
import { ThroughlineError } from '#server/core/errors';

/** A stored row does not have the shape it must have. It is never skipped: a silent gap would be worse. */
export class CorruptRowError extends ThroughlineError {
  static override readonly code = 'corrupt_row';

  constructor(table: string, id: string, cause: unknown) {
    super(`The row "${id}" of ${table} cannot be read.`, { cause, details: { table, id } });
  }
}

export type PartRow = typeof messageParts.$inferSelect;

/** Place of a new part. */
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

/**
 * Parses and checks the JSON text of one column.
 *
 * @throws CorruptRowError naming the row when it is not JSON or not of this shape.
 */
export function parseJsonColumn<T>(schema: z.ZodType<T>, text: string, row: { table: string; id: string }): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new CorruptRowError(row.table, row.id, cause);
  }
}

/**
 * Text for a plain text column. The driver cuts a string at a NUL character, so NULs become U+FFFD, the same that
 * half surrogate pairs become. (JSON columns escape both and need no help.)
 */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed();
}
