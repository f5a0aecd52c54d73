import { z } from 'zod';
import { providersSchema } from '#server/core/admin/providers';
import { components, count, type Shape } from '#server/core/shapes';

/** `always`: a tool's calls run without asking. `ask`: only with the user's approval. `off`: not at all. */
export const toolPolicyNames = ['always', 'ask', 'off'] as const;
export type ToolPolicy = (typeof toolPolicyNames)[number];

/** Input for a setting; its limits depend on the kind. */
const inputSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('number'), min: z.number(), max: z.number(), whole: z.boolean() }),
    z.strictObject({ kind: z.literal('toggle') }),
    z.strictObject({ kind: z.literal('choice'), names: z.array(z.string()).min(2) }),
    /** `word`: keyword that leaves the choice of the model open, such as `__same__`. */
    z.strictObject({ kind: z.literal('model'), word: z.string() }),
    /** Origins of addresses, separated by commas. */
    z.strictObject({ kind: z.literal('origins') }),
    /** A whole number for each of several models or tools. */
    z.strictObject({ kind: z.literal('numbers'), of: z.enum(['model', 'tool']), min: count, max: count }),
    /** One of the names for each of several tools. */
    z.strictObject({ kind: z.literal('choices'), names: z.array(z.string()).min(2) }),
  ])
  .register(components, { id: 'SettingInput' });
export type SettingInput = Shape<typeof inputSchema>;

const valueSchema = z
  .union([z.number(), z.boolean(), z.string(), z.record(z.string(), z.union([z.number(), z.string()]))])
  .register(components, { id: 'SettingValue' });
/** The value of a setting. */
export type SettingValue = Shape<typeof valueSchema>;

/** Origin of a setting's value; stored values take precedence over the environment. */
const sourceSchema = z.enum(['default', 'env', 'stored']);
export type SettingSource = z.infer<typeof sourceSchema>;

/** Groups of settings. */
const groupSchema = z.enum(['models', 'budgets', 'limits', 'steps', 'strategies', 'pruning', 'tools', 'visitors']);
export type SettingGroup = z.infer<typeof groupSchema>;

/** Description of one setting for people. */
const referenceSchema = z
  .strictObject({
    name: z.string().min(1),
    group: groupSchema,
    input: inputSchema,
    variable: z
      .string()
      .regex(/^[A-Z_]+$/)
      .describe('Its environment variable'),
    default: z.string().describe('In the form of the environment variable; empty if nothing is set'),
    unit: z.string(),
    range: z.string().min(1),
    meaning: z.string().min(1),
  })
  .register(components, { id: 'SettingDescription' });
export type SettingReference<Name extends string = string> = Omit<Shape<typeof referenceSchema>, 'name'> & {
  readonly name: Name;
};

/** A tool, with the properties that settings refer to. */
const toolSchema = z
  .strictObject({
    name: z.string().min(1),
    description: z.string().min(1),
    writes: z.boolean(),
    policy: z.enum(toolPolicyNames).describe('Policy unless `toolPolicies` contains the tool'),
    exemptFromPruning: z.boolean().describe('Its outputs are never cleared'),
    maxOutputChars: count.nullable().describe('Maximum characters of one output, if the tool sets its own limit'),
  })
  .register(components, { id: 'Tool' });
export type ToolReport = Shape<typeof toolSchema>;

/** Result of a test email. */
export const mailTestSchema = z
  .strictObject({ ok: z.boolean(), message: z.string().min(1) })
  .register(components, { id: 'MailTestResult' });
export type MailTest = Shape<typeof mailTestSchema>;

/** A variable that is read once, at the start. */
const processSettingSchema = z
  .strictObject({
    name: z.string().regex(/^[A-Z_]+$/),
    description: z.string().min(1),
    default: z.string().describe('In the form of the environment variable; empty if the default is unset'),
    isSecret: z.boolean(),
    isSet: z.boolean().describe('True if its value differs from the default'),
    value: z.string().nullable().describe('Without credentials; null if it is secret or unset'),
  })
  .register(components, { id: 'ProcessSetting' });
export type ProcessSetting = Shape<typeof processSettingSchema>;

/** All data of the settings page: GET /api/settings. */
export const settingsSchema = z
  .strictObject({
    values: z.record(z.string(), valueSchema).describe('Values in effect'),
    base: z.record(z.string(), valueSchema).describe('Values after a reset: from the environment, else the default'),
    sources: z.record(z.string(), sourceSchema),
    reference: z.array(referenceSchema),
    tools: z.array(toolSchema),
    providers: providersSchema.shape.items,
    process: z.array(processSettingSchema),
  })
  .register(components, { id: 'SettingsReport' });
export type SettingsReport = Shape<typeof settingsSchema>;

/** How a context window was learned: an error named it, the prompt was cut, or answers ended at it. */
export const windowReasons = ['error', 'cut-prompt', 'ended-answers'] as const;

/** The models that can be selected: GET /api/models. */
export const modelsSchema = z
  .strictObject({
    items: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        contextWindow: count.describe('Tokens'),
        maxOutputTokens: count,
        known: z.boolean(),
        warning: z.string().nullable(),
        acceptsImages: z.boolean().describe('False: it receives only the name of an attached image'),
        acceptsTools: z.boolean().describe('False: its server reports that it cannot use tools'),
        memoryBytes: z
          .number()
          .positive()
          .nullable()
          .describe('Memory that a local model takes with this context window, bytes; null: unknown'),
        learnedWindow: z
          .strictObject({ tokens: count, reason: z.enum(windowReasons) })
          .nullable()
          .describe('The context window in effect, if it was learned from answers; null if not. Tokens'),
        provider: z.string(),
        turnPrice: z
          .number()
          .nullable()
          .describe('Price of the typical turn in US dollars, by list prices; 0: free; null: unknown'),
        recommended: z.enum(['best', 'balanced', 'cheap']).nullable().describe('Its recommended use; null: none'),
      }),
    ),
    typicalTurn: z
      .strictObject({
        inputTokens: count,
        outputTokens: count,
        cacheReadTokens: count,
        /** Number of averaged turns; 0: a usual turn. */
        turns: count,
      })
      .describe(
        'The turn for which prices are given: the average of the requested conversation, else a usual one. Tokens',
      ),
    recommendedOn: z.string().describe('The month in which the recommendations were last reviewed: `2026-11`'),
    defaultModelId: z.string(),
  })
  .register(components, { id: 'ModelList' });
export type ModelList = Shape<typeof modelsSchema>;

/** A setting that was refused, in `details.issues` of the error. */
export interface SettingIssue {
  /** The setting, possibly with the path of the invalid value inside it: `modelWindowOverrides.a/b`. */
  readonly path: string;
  readonly message: string;
  /** The other setting, if two contradict each other. */
  readonly related?: string;
}
