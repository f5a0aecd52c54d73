import { z } from 'zod';
import { referenceSchema } from '#server/core/content';
import { fieldChangeSchema } from '#server/core/changes';
import { count, type Shape } from '#server/core/shapes';

/** A thing that a call would change, as it was when the user was asked. */
const targetSchema = z.object({
  type: z.string().min(1),
  id: z.string().min(1),
  title: z.string(),
  /** An approval holds for this revision: changes since are asked about again. */
  revision: count,
});
export type EffectTarget = Shape<typeof targetSchema>;

/** Effect of a call, worked out without making it: what an approval shows and is bound to, and is stored with. */
export const toolEffectSchema = z.object({
  /** One plain sentence: `Publishes "Pricing" at /pricing`. */
  summary: z.string().min(1),
  targets: z.array(targetSchema),
  /** Differences that visitors (or, for settings, everybody) would see. */
  changes: z.array(fieldChangeSchema),
  /** References to the targets that would be left dangling. */
  references: z.array(referenceSchema),
  /** Other warnings, one sentence each: `It is the home page.` */
  warnings: z.array(z.string()),
});
export type ToolEffect = Shape<typeof toolEffectSchema>;
