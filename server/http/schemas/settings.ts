import { z } from 'zod';
import { jsonValueSchema } from '#server/core/json';
import { providerIds, toolPolicyNames } from '#server/core/settings-report';
import { count } from '#server/http/schemas/fields';

/** Settings by name; null resets one. Which names there are and what they may be, the settings know. */
export const settingsPatchBody = z
  .record(z.string().max(100), jsonValueSchema)
  .refine((patch) => Object.keys(patch).length > 0, 'must change something');

export const providerParams = z.object({ id: z.enum(providerIds) });

const settingInputSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('number'), min: z.number(), max: z.number(), whole: z.boolean() }),
  z.strictObject({ kind: z.literal('toggle') }),
  z.strictObject({ kind: z.literal('choice'), names: z.array(z.string()).min(2) }),
  z.strictObject({ kind: z.literal('model'), word: z.string() }),
  z.strictObject({ kind: z.literal('numbers'), of: z.enum(['model', 'tool']), min: count, max: count }),
  z.strictObject({ kind: z.literal('choices'), names: z.array(z.string()).min(2) }),
]);
const settingValues = z.record(
  z.string(),
  z.union([z.number(), z.boolean(), z.string(), z.record(z.string(), z.union([z.number(), z.string()]))]),
);

export const settingsSchema = z.strictObject({
  values: settingValues,
  base: settingValues,
  sources: z.record(z.string(), z.enum(['default', 'env', 'stored'])),
  reference: z.array(
    z.strictObject({
      name: z.string().min(1),
      group: z.enum(['models', 'limits', 'steps', 'strategies', 'pruning', 'tools']),
      input: settingInputSchema,
      variable: z.string().regex(/^[A-Z_]+$/),
      default: z.string(),
      unit: z.string(),
      range: z.string().min(1),
      meaning: z.string().min(1),
    }),
  ),
  tools: z.array(
    z.strictObject({
      name: z.string().min(1),
      description: z.string().min(1),
      writes: z.boolean(),
      policy: z.enum(toolPolicyNames),
      exemptFromPruning: z.boolean(),
      maxOutputChars: count.nullable(),
    }),
  ),
  providers: z.array(
    z.strictObject({
      id: z.enum(['built-in', 'openrouter', 'openai-compatible']),
      configured: z.boolean(),
      baseUrl: z.string().nullable(),
      hasKey: z.boolean(),
      variables: z.array(z.string()),
      models: count,
    }),
  ),
  process: z.array(
    z.strictObject({
      name: z.string().regex(/^[A-Z_]+$/),
      description: z.string().min(1),
      default: z.string(),
      isSecret: z.boolean(),
      isSet: z.boolean(),
      value: z.string().nullable(),
    }),
  ),
});
export const providerTestSchema = z.strictObject({
  ok: z.boolean(),
  latencyMs: count,
  models: count.nullable(),
  modelId: z.string().nullable(),
  message: z.string().min(1),
});

export const modelsSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      contextWindow: count,
      maxOutputTokens: count,
      known: z.boolean(),
      warning: z.string().nullable(),
      acceptsImages: z.boolean(),
      provider: z.string(),
    }),
  ),
  defaultModelId: z.string(),
});
