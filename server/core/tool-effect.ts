import { z } from 'zod';
import { type FieldChange, type Reference, entryTypes } from '#server/core/content';
import { jsonValueSchema } from '#server/core/json';

/** A thing that a call would change, as it was when the user was asked. */
export interface EffectTarget {
  readonly type: string;
  readonly id: string;
  readonly title: string;
  /** An approval holds for this revision: what was changed since is asked about again. */
  readonly revision: number;
}

/** What a call would do, worked out without doing it: what an approval shows and is bound to. */
export interface ToolEffect {
  /** One plain sentence: `Publishes "Pricing" at /pricing`. */
  readonly summary: string;
  readonly targets: readonly EffectTarget[];
  /** What visitors (or, for settings, everybody) would see differently. */
  readonly changes: readonly FieldChange[];
  /** What names the targets and would be left dangling. */
  readonly references: readonly Reference[];
  /** What else to know, one sentence each: `It is the home page.` */
  readonly warnings: readonly string[];
}

const target = z.object({ type: z.string(), id: z.string(), title: z.string(), revision: z.number() });

const fieldChange: z.ZodType<FieldChange> = z.object({
  field: z.string(),
  sectionId: z.string().optional(),
  kind: z.enum(['added', 'removed', 'changed', 'moved']),
  before: jsonValueSchema,
  after: jsonValueSchema,
});

const reference: z.ZodType<Reference> = z.object({
  kind: z.enum(['link', 'image', 'child', 'navigation', 'home']),
  from: z.object({
    type: z.enum([...entryTypes, 'navigation', 'settings']),
    id: z.string(),
    title: z.string(),
    sectionId: z.string().optional(),
  }),
  text: z.string(),
  isPublished: z.boolean(),
  isPlanned: z.literal(true).optional(),
});

/** As it is stored with an approval. */
export const toolEffectSchema: z.ZodType<ToolEffect> = z.object({
  summary: z.string(),
  targets: z.array(target),
  changes: z.array(fieldChange),
  references: z.array(reference),
  warnings: z.array(z.string()),
});
