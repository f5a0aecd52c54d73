import { z } from 'zod';
import { providerIds } from '#server/core/provider-words';
import { count, listOf, type Shape } from '#server/core/shapes';

/** A provider of models, without any secret. */
const providerSchema = z.strictObject({
  id: z.enum(providerIds),
  configured: z.boolean(),
  /** Source of its address and key: what the environment sets wins over what was entered. Null: not configured. */
  source: z.enum(['environment', 'stored']).nullable(),
  /** Without credentials and query; null where there is none. */
  baseUrl: z.string().nullable(),
  hasKey: z.boolean(),
  /** Names of the environment variables that configure it. */
  variables: z.array(z.string()),
  /** Number of its models that are offered now. */
  models: count,
  /** Why what is stored of it cannot be used, and what to do; null: it can. */
  problem: z.string().nullable(),
});
export type ProviderReport = Shape<typeof providerSchema>;

export const providersSchema = listOf(providerSchema);

/** Faults of a provider, as far as they make a difference to what helps. */
export const providerProblems = ['key', 'credit', 'tools', 'model', 'unreachable', 'other'] as const;
export type ProviderProblem = (typeof providerProblems)[number];

/** Result of testing a provider with a small real request. */
export const providerTestSchema = z.strictObject({
  ok: z.boolean(),
  /** Null where it is ok. */
  problem: z.enum(providerProblems).nullable(),
  latencyMs: count,
  /** Number of models it lists; null where that was not learned. */
  models: count.nullable(),
  /** The model that was tried; null where none was. */
  modelId: z.string().nullable(),
  /** Models that could be tried, where it has any; the recommended ones first. */
  choices: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  /** For a person; says what to do where it is not ok. */
  message: z.string().min(1),
});
export type ProviderTest = Shape<typeof providerTestSchema>;

/** The outcome of connecting a provider: it is stored only where the test passed, or where nobody minds that it did not. */
export const connectedSchema = z.strictObject({
  connected: z.boolean(),
  test: providerTestSchema,
  providers: z.array(providerSchema),
});
export type ConnectOutcome = Shape<typeof connectedSchema>;

/** Model servers that answer on this machine. */
export const localServersSchema = listOf(
  z.strictObject({
    /** As it is usually called at its port. */
    name: z.string(),
    /** URL of its OpenAI-compatible API. */
    baseUrl: z.string(),
    models: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  }),
);
export type LocalServers = Shape<typeof localServersSchema>;
