import { z } from 'zod';
import { providersSchema } from '#server/core/providers';
import { count, type Shape } from '#server/core/shapes';

/** `always`: a tool's calls run by themselves. `ask`: only if the user agrees. `off`: not at all. */
export const toolPolicyNames = ['always', 'ask', 'off'] as const;
export type ToolPolicy = (typeof toolPolicyNames)[number];

/** Input for a setting; its limits depend on the kind. */
const inputSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('number'), min: z.number(), max: z.number(), whole: z.boolean() }),
  z.strictObject({ kind: z.literal('toggle') }),
  z.strictObject({ kind: z.literal('choice'), names: z.array(z.string()).min(2) }),
  /** `word`: value that leaves the choice of the model open, such as `__same__`. */
  z.strictObject({ kind: z.literal('model'), word: z.string() }),
  /** Origins of addresses, separated by commas. */
  z.strictObject({ kind: z.literal('origins') }),
  /** A whole number for each of some models or tools. */
  z.strictObject({ kind: z.literal('numbers'), of: z.enum(['model', 'tool']), min: count, max: count }),
  /** One of the names for each of some tools. */
  z.strictObject({ kind: z.literal('choices'), names: z.array(z.string()).min(2) }),
]);
export type SettingInput = Shape<typeof inputSchema>;

const valueSchema = z.union([
  z.number(),
  z.boolean(),
  z.string(),
  z.record(z.string(), z.union([z.number(), z.string()])),
]);
export type SettingValue = Shape<typeof valueSchema>;

/** Origin of a setting's value; what is stored wins over the environment. */
const sourceSchema = z.enum(['default', 'env', 'stored']);
export type SettingSource = z.infer<typeof sourceSchema>;

/** Settings that belong together. */
const groupSchema = z.enum(['models', 'budgets', 'limits', 'steps', 'strategies', 'pruning', 'tools', 'visitors']);
export type SettingGroup = z.infer<typeof groupSchema>;

/** Description of one setting for people. */
const referenceSchema = z.strictObject({
  name: z.string().min(1),
  group: groupSchema,
  input: inputSchema,
  /** Its environment variable. */
  variable: z.string().regex(/^[A-Z_]+$/),
  /** As one would write it in the environment; empty where nothing is set. */
  default: z.string(),
  unit: z.string(),
  range: z.string().min(1),
  meaning: z.string().min(1),
});
export type SettingReference<Name extends string = string> = Omit<Shape<typeof referenceSchema>, 'name'> & {
  readonly name: Name;
};

/** A tool, as far as settings are about it. */
const toolSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1),
  writes: z.boolean(),
  /** Policy while toolPolicies does not name it. */
  policy: z.enum(toolPolicyNames),
  /** Its outputs are never cleared. */
  exemptFromPruning: z.boolean(),
  /** Characters of one output, where the tool sets a limit of its own. */
  maxOutputChars: count.nullable(),
});
export type ToolReport = Shape<typeof toolSchema>;

/** Result of a test mail. */
export const mailTestSchema = z.strictObject({ ok: z.boolean(), message: z.string().min(1) });
export type MailTest = Shape<typeof mailTestSchema>;

/** A variable that is read once, at the start. */
const processSettingSchema = z.strictObject({
  name: z.string().regex(/^[A-Z_]+$/),
  description: z.string().min(1),
  /** As one would write it in the environment; empty where unset is the default. */
  default: z.string(),
  isSecret: z.boolean(),
  /** It has another value than the default. */
  isSet: z.boolean(),
  /** Without credentials; null where it is secret or unset. */
  value: z.string().nullable(),
});
export type ProcessSetting = Shape<typeof processSettingSchema>;

/** Everything the settings page shows: GET /api/settings. */
export const settingsSchema = z.strictObject({
  /** In force now. */
  values: z.record(z.string(), valueSchema),
  /** Values after a reset: the environment's, else the default. */
  base: z.record(z.string(), valueSchema),
  sources: z.record(z.string(), sourceSchema),
  reference: z.array(referenceSchema),
  tools: z.array(toolSchema),
  providers: providersSchema.shape.items,
  process: z.array(processSettingSchema),
});
export type SettingsReport = Shape<typeof settingsSchema>;

/** The models that can be chosen: GET /api/models. */
export const modelsSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      /** Tokens. */
      contextWindow: count,
      maxOutputTokens: count,
      known: z.boolean(),
      warning: z.string().nullable(),
      /** False: it is told the name of an attached image only. */
      acceptsImages: z.boolean(),
      provider: z.string(),
      /** US dollars of the typical turn, by list prices; 0: it costs nothing; null: nobody says. */
      turnPrice: z.number().nullable(),
      /** Its recommended use; null: none. */
      recommended: z.enum(['best', 'balanced', 'cheap']).nullable(),
    }),
  ),
  /** The turn that prices are told of: of the conversation that was asked about, else what is usual. Tokens. */
  typicalTurn: z.strictObject({
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    /** Number of turns averaged; 0: what is usual. */
    turns: count,
  }),
  /** The month in which the recommendations were last looked at: `2026-11`. */
  recommendedOn: z.string(),
  defaultModelId: z.string(),
});
export type ModelList = Shape<typeof modelsSchema>;

/** A setting that was refused, in `details.issues` of the error. */
export interface SettingIssue {
  /** The setting, perhaps with what is wrong inside it: `modelWindowOverrides.a/b`. */
  readonly path: string;
  readonly message: string;
  /** The other setting, where two do not fit together. */
  readonly related?: string;
}
