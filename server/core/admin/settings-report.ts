import { z } from 'zod';
import { type CodedMessage, codedMessageSchema } from '#server/core/coded-message';
import { displayUnitNames } from '#server/core/admin/display-units';
import { providersSchema } from '#server/core/admin/providers';
import { strategyNames } from '#server/core/admin/strategy-names';
import { components, count, type Shape } from '#server/core/shapes';

/** `always`: a tool's calls run without asking. `ask`: only with the user's approval. `off`: not at all. */
export const toolPolicyNames = ['always', 'ask', 'off'] as const;
export type ToolPolicy = (typeof toolPolicyNames)[number];

const displayUnit = z
  .enum(displayUnitNames)
  .describe(
    'Unit in which people read and enter it. `percent`: of 1; `minutes`, `seconds`: the value is in milliseconds; `thousand-tokens`, `thousand-characters`: in tokens, characters; `number`, `dollars`: as it is',
  );

/** Limits of a share of the window. */
const thresholdSchema = z.strictObject({
  min: z.number().describe('Smallest value'),
  max: z.number().describe('Largest value'),
  default: z.number().describe('Value if none is chosen'),
});

/** Input for a setting; its limits depend on the kind. */
const inputSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('number').describe('A number'),
      min: z.number().describe('Smallest value'),
      max: z.number().describe('Largest value'),
      whole: z.boolean().describe('True: only whole numbers'),
      displayUnit,
    }),
    z.strictObject({ kind: z.literal('toggle').describe('On or off') }),
    z.strictObject({
      kind: z.literal('choice').describe('One of several names'),
      names: z.array(z.string()).min(2).describe('All names that can be chosen'),
    }),
    z.strictObject({
      kind: z.literal('model').describe('Id of a model'),
      word: z.string().describe('Word that leaves the choice open, such as `__same__`'),
    }),
    z.strictObject({ kind: z.literal('origins').describe('Origins of addresses, separated by commas') }),
    z.strictObject({
      kind: z.literal('numbers').describe('A whole number for each of several models or tools'),
      of: z.enum(['model', 'tool']).describe('What each number belongs to'),
      min: count.describe('Smallest value'),
      max: count.describe('Largest value'),
      displayUnit,
    }),
    z.strictObject({
      kind: z
        .literal('programs')
        .describe(
          'For each of several providers an object: `strategy`, `compactAt`, `endAt`, `pruningAgentModel`; absent ones have their default',
        ),
      strategies: z.array(z.string()).min(2).describe('All strategies that can be chosen'),
      strategy: z.string().describe('Strategy if none is chosen'),
      compactAt: thresholdSchema.describe('Share of the window at which a strategy with a threshold compacts'),
      endAt: thresholdSchema.describe('Share of the window at which a step is ended; at least 0.05 above `compactAt`'),
    }),
    z.strictObject({
      kind: z.literal('choices').describe('One of the names for each of several tools'),
      names: z.array(z.string()).min(2).describe('All names that can be chosen'),
    }),
  ])
  .describe('How a value is entered, and its limits')
  .register(components, { id: 'SettingInput' });
export type SettingInput = Shape<typeof inputSchema>;

const valueSchema = z
  .union([
    z.number(),
    z.boolean(),
    z.string(),
    z.record(z.string(), z.union([z.number(), z.string()])),
    z
      .record(z.string(), z.record(z.string(), z.union([z.number(), z.string()])))
      .register(components, { id: 'SettingValueTable' }),
  ])
  .register(components, { id: 'SettingValue' });
/** The value of a setting. */
export type SettingValue = Shape<typeof valueSchema>;

/** Origin of a setting's value; stored values take precedence over the environment. */
const sourceSchema = z.enum(['default', 'env', 'stored']);
export type SettingSource = z.infer<typeof sourceSchema>;

/** Groups of settings. */
const groupSchema = z.enum([
  'models',
  'programs',
  'budgets',
  'limits',
  'steps',
  'strategies',
  'pruning',
  'tools',
  'definitions',
  'visitors',
]);
export type SettingGroup = z.infer<typeof groupSchema>;

/** Description of one setting for people. */
const referenceSchema = z
  .strictObject({
    name: z.string().min(1).describe('Name of the setting, as in `values`'),
    group: groupSchema.describe('Group of the settings page'),
    input: inputSchema,
    variable: z
      .string()
      .regex(/^[A-Z_]+$/)
      .describe('Its environment variable'),
    default: z.string().describe('In the form of the environment variable; empty if nothing is set'),
    unit: z.string().describe('Unit of the value, such as `tokens`; empty: it has none'),
    range: z.string().min(1).describe('Allowed values, for people'),
    meaning: z.string().min(1).describe('What the setting does, for people'),
    strategy: z
      .enum(strategyNames)
      .nullable()
      .describe('Strategy of compactions without which the setting has no effect; null: it always has'),
  })
  .describe('Description of one setting for people')
  .register(components, { id: 'SettingDescription' });
export type SettingReference<Name extends string = string> = Omit<Shape<typeof referenceSchema>, 'name'> & {
  readonly name: Name;
};

/** A tool, with the properties that settings refer to. */
const toolSchema = z
  .strictObject({
    name: z.string().min(1).describe('Name of the tool for models'),
    description: z.string().min(1).describe('What it does, as models read it'),
    writes: z.boolean().describe('True if it may change something'),
    policy: z.enum(toolPolicyNames).describe('Policy unless `toolPolicies` contains the tool'),
    exemptFromPruning: z.boolean().describe('Its outputs are never cleared'),
    maxOutputChars: count.nullable().describe('Maximum characters of one output, if the tool sets its own limit'),
  })
  .describe('A tool of the assistant')
  .register(components, { id: 'Tool' });
export type ToolReport = Shape<typeof toolSchema>;

/** Result of a test email. */
export const mailTestSchema = z
  .strictObject({
    ok: z.boolean().describe('True if the mail server accepted the test mail'),
    message: z.string().min(1).describe('What happened, for people'),
    reason: codedMessageSchema.nullable().describe('`message` as data; null: it has none'),
  })
  .register(components, { id: 'MailTestResult' });
export type MailTest = Shape<typeof mailTestSchema>;

/** A variable that is read once, at the start. */
const processSettingSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Z_]+$/)
      .describe('Name of the environment variable'),
    description: z.string().min(1).describe('What it does, for people'),
    default: z.string().describe('In the form of the environment variable; empty if the default is unset'),
    isSecret: z.boolean().describe('True if its value is never shown'),
    isSet: z.boolean().describe('True if its value differs from the default'),
    value: z.string().nullable().describe('Without credentials; null if it is secret or unset'),
  })
  .describe('A variable that is read once, at the start')
  .register(components, { id: 'ProcessSetting' });
export type ProcessSetting = Shape<typeof processSettingSchema>;

/** All data of the settings page: GET /api/settings. */
export const settingsSchema = z
  .strictObject({
    values: z.record(z.string(), valueSchema).describe('Values in effect'),
    base: z.record(z.string(), valueSchema).describe('Values after a reset: from the environment, else the default'),
    sources: z
      .record(z.string(), sourceSchema)
      .describe('Where each value comes from: `stored` takes precedence over `env` (environment) and `default`'),
    reference: z.array(referenceSchema).describe('Descriptions of all settings'),
    tools: z.array(toolSchema).describe('Tools to which settings refer'),
    providers: providersSchema.shape.items,
    process: z.array(processSettingSchema).describe('Variables that are read once, at the start'),
  })
  .register(components, { id: 'SettingsReport' });
export type SettingsReport = Shape<typeof settingsSchema>;

/** How a context window was learned: an error named it, the prompt was cut, or answers ended at it. */
export const windowReasons = ['error', 'cut-prompt', 'ended-answers'] as const;

/** The models that can be selected: GET /api/models. */
export const modelsSchema = z
  .strictObject({
    items: z
      .array(
        z.strictObject({
          id: z.string().describe('Id of the model, for `modelId` of requests'),
          name: z.string().describe('Display name'),
          contextWindow: count.describe('Tokens'),
          maxOutputTokens: count.describe('Maximum tokens of one answer'),
          known: z.boolean().describe('False: the context window is a cautious guess; `warning` says what to do'),
          warning: z
            .string()
            .nullable()
            .describe('What is uncertain about the model and what to do, for people; null: nothing'),
          warningMessage: codedMessageSchema.optional().describe('`warning` as data'),
          acceptsImages: z.boolean().describe('False: it receives only the name of an attached image'),
          acceptsTools: z.boolean().describe('False: its server reports that it cannot use tools'),
          memoryBytes: z
            .number()
            .positive()
            .nullable()
            .describe('Memory that a local model takes with this context window, bytes; null: unknown'),
          learnedWindow: z
            .strictObject({
              tokens: count.describe('The learned window'),
              reason: z
                .enum(windowReasons)
                .describe(
                  'How it was learned. `error`: an error named it. `cut-prompt`: the server cut the request. `ended-answers`: answers ended at it',
                ),
            })
            .nullable()
            .describe('The context window in effect, if it was learned from answers; null if not. Tokens'),
          provider: z.string().describe('Name of its provider'),
          turnPrice: z
            .number()
            .nullable()
            .describe('Price of the typical turn in US dollars, by list prices; 0: free; null: unknown'),
          recommended: z.enum(['best', 'balanced', 'cheap']).nullable().describe('Its recommended use; null: none'),
        }),
      )
      .describe('All models that can be selected'),
    typicalTurn: z
      .strictObject({
        inputTokens: count.describe('Input tokens of the turn, including cache reads'),
        outputTokens: count.describe('Output tokens of the turn'),
        cacheReadTokens: count.describe('Input tokens that its provider reads from its cache'),
        turns: count.describe('Number of averaged turns; 0: a usual turn'),
      })
      .describe(
        'The turn for which prices are given: the average of the requested conversation, else a usual one. Tokens',
      ),
    recommendedOn: z.string().describe('The month in which the recommendations were last reviewed: `2026-11`'),
    defaultModelId: z.string().describe('Id of the model that is used where none is chosen'),
  })
  .register(components, { id: 'ModelList' });
export type ModelList = Shape<typeof modelsSchema>;

/** A setting that was refused, in `details.issues` of the error. */
export interface SettingIssue {
  /** The setting, possibly with the path of the invalid value inside it: `modelWindowOverrides.a/b`. */
  readonly path: string;
  /** The end of a sentence that begins with the name of the setting. */
  readonly message: string;
  /** `message` as data. */
  readonly reason: CodedMessage;
  /** The other setting, if two contradict each other. */
  readonly related?: string;
}
