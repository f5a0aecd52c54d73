import { z } from 'zod';

const SMALLEST = 256;
const LARGEST = 20_000_000;

/**
 * A context length or maximum output as somebody else reports it, in tokens. What cannot be true (0, negative, text,
 * astronomic) is null: not told.
 */
export const tokenFigure = z.int().min(SMALLEST).max(LARGEST).nullable().catch(null);

/** The name of a model as somebody else reports it: one that can be part of an id here. */
export const modelName = z
  .string()
  .min(1)
  .max(190)
  .regex(/^[^\p{C}\p{Z}]+$/u);

/** The rows that fit, without those that do not: one broken row must not cost the whole list. */
export function validRows<T>(schema: z.ZodType<T>, rows: readonly unknown[]): T[] {
  return rows.flatMap((row) => {
    const parsed = schema.safeParse(row);
    return parsed.success ? [parsed.data] : [];
  });
}
