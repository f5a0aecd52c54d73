import { z } from 'zod';
import { codedMessageSchema } from '#server/core/coded-message';
import { providerIds } from '#server/core/admin/provider-names';
import { components, count, listOf, type Shape } from '#server/core/shapes';

/** A provider of models, without secrets. */
const providerSchema = z
  .strictObject({
    id: z.enum(providerIds).describe('Name of the provider, as in `/api/settings/providers/{id}`'),
    configured: z.boolean().describe('True if models of the provider can be used'),
    source: z
      .enum(['environment', 'stored'])
      .nullable()
      .describe(
        'Source of its address and key: environment variables take precedence over entered values. Null: not configured',
      ),
    baseUrl: z.string().nullable().describe('Without credentials and query; null if it has none'),
    hasKey: z.boolean().describe('True if a key is set'),
    variables: z.array(z.string()).describe('Names of the environment variables that configure it'),
    models: count.describe('Number of its models that are available now'),
    problem: z
      .string()
      .nullable()
      .describe('Why its stored configuration cannot be used, and what to do; null: no problem'),
    problemMessage: codedMessageSchema.nullable().describe('`problem` as data; null: it has none'),
  })
  .describe('A provider of models, without secrets')
  .register(components, { id: 'Provider' });
export type ProviderReport = Shape<typeof providerSchema>;

export const providersSchema = listOf(providerSchema).register(components, { id: 'ProviderList' });

/** Kinds of provider errors that need different remedies. */
export const providerProblems = ['key', 'credit', 'tools', 'model', 'unreachable', 'other'] as const;
export type ProviderProblem = (typeof providerProblems)[number];

/** Result of testing a provider with a small real request. */
export const providerTestSchema = z
  .strictObject({
    ok: z.boolean().describe('True if the model answered and called a tool'),
    problem: z.enum(providerProblems).nullable().describe('Null if `ok`'),
    latencyMs: count.describe('Duration of the test in milliseconds'),
    models: count.nullable().describe('Number of models it lists; null if unknown'),
    modelId: z.string().nullable().describe('The tested model; null if none was tested'),
    choices: z
      .array(z.strictObject({ id: z.string().describe('Id of the model'), name: z.string().describe('Display name') }))
      .describe('Models that could be tested, if it has any; the recommended ones first'),
    message: z.string().min(1).describe('For people; contains what to do if not `ok`'),
    reason: codedMessageSchema.nullable().describe('`message` as data; null if it has no code'),
  })
  .describe('Result of testing a provider with a small real request')
  .register(components, { id: 'ProviderTestResult' });
export type ProviderTest = Shape<typeof providerTestSchema>;

/** The outcome of connecting a provider: it is stored only if the test passed, or if the user accepted the failure. */
export const connectedSchema = z
  .strictObject({
    connected: z.boolean().describe('True if the connection is stored now'),
    test: providerTestSchema,
    providers: z.array(providerSchema).describe('All providers, after the attempt'),
  })
  .register(components, { id: 'ProviderConnection' });
export type ConnectOutcome = Shape<typeof connectedSchema>;

/** Model servers that respond on this machine. */
export const localServersSchema = listOf(
  z.strictObject({
    name: z.string().describe('Usual name of the server at its port'),
    baseUrl: z.string().describe('URL of its OpenAI-compatible API'),
    models: z
      .array(
        z.strictObject({
          id: z.string().describe('Id of the model at this server'),
          name: z.string().describe('Display name'),
        }),
      )
      .describe('Models that it has; empty while it loads one'),
    isLoading: z.boolean().describe('True: it is loading its model, so its models are not known yet'),
  }),
).register(components, { id: 'LocalServerList' });
export type LocalServers = Shape<typeof localServersSchema>;
