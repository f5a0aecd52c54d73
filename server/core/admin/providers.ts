import { z } from 'zod';
import { providerIds } from '#server/core/admin/provider-names';
import { count, listOf, type Shape } from '#server/core/shapes';

/** A provider of models, without secrets. */
const providerSchema = z.strictObject({
  id: z.enum(providerIds),
  configured: z.boolean(),
  /** Source of its address and key: environment variables take precedence over entered values. Null: not configured. */
  source: z.enum(['environment', 'stored']).nullable(),
  /** Without credentials and query; null if it has none. */
  baseUrl: z.string().nullable(),
  hasKey: z.boolean(),
  /** Names of the environment variables that configure it. */
  variables: z.array(z.string()),
  /** Number of its models that are available now. */
  models: count,
  /** Why its stored configuration cannot be used, and what to do; null: no problem. */
  problem: z.string().nullable(),
});
export type ProviderReport = Shape<typeof providerSchema>;

export const providersSchema = listOf(providerSchema);

/** Kinds of provider errors that need different remedies. */
export const providerProblems = ['key', 'credit', 'tools', 'model', 'unreachable', 'other'] as const;
export type ProviderProblem = (typeof providerProblems)[number];

/** Result of testing a provider with a small real request. */
export const providerTestSchema = z.strictObject({
  ok: z.boolean(),
  /** Null if `ok`. */
  problem: z.enum(providerProblems).nullable(),
  latencyMs: count,
  /** Number of models it lists; null if unknown. */
  models: count.nullable(),
  /** The tested model; null if none was tested. */
  modelId: z.string().nullable(),
  /** Models that could be tested, if it has any; the recommended ones first. */
  choices: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  /** For people; contains what to do if not `ok`. */
  message: z.string().min(1),
});
export type ProviderTest = Shape<typeof providerTestSchema>;

/** The outcome of connecting a provider: it is stored only if the test passed, or if the user accepted the failure. */
export const connectedSchema = z.strictObject({
  connected: z.boolean(),
  test: providerTestSchema,
  providers: z.array(providerSchema),
});
export type ConnectOutcome = Shape<typeof connectedSchema>;

/** Model servers that respond on this machine. */
export const localServersSchema = listOf(
  z.strictObject({
    /** Usual name of the server at its port. */
    name: z.string(),
    /** URL of its OpenAI-compatible API. */
    baseUrl: z.string(),
    models: z.array(z.strictObject({ id: z.string(), name: z.string() })),
    /** True: it is loading its model, so its models are not known yet. */
    isLoading: z.boolean(),
  }),
);
export type LocalServers = Shape<typeof localServersSchema>;
