import type { ProviderReport } from '#server/core/settings-report';
import { type Env, withoutCredentials } from '#server/env';
import type { ModelChoice } from '#server/models/model-registry';

type ProviderEnv = Pick<
  Env,
  'OPENROUTER_API_KEY' | 'OPENROUTER_BASE_URL' | 'OPENAI_COMPATIBLE_API_KEY' | 'OPENAI_COMPATIBLE_BASE_URL'
>;

/** Who may serve models here, with nothing secret. `choices` are the models that are offered now. */
export function describeProviders(env: ProviderEnv, choices: readonly ModelChoice[]): ProviderReport[] {
  const local = env.OPENAI_COMPATIBLE_BASE_URL;
  const reports: Omit<ProviderReport, 'models'>[] = [
    { id: 'built-in', configured: true, baseUrl: null, hasKey: false, variables: [] },
    {
      id: 'openrouter',
      configured: env.OPENROUTER_API_KEY !== undefined,
      baseUrl: withoutCredentials(env.OPENROUTER_BASE_URL),
      hasKey: env.OPENROUTER_API_KEY !== undefined,
      variables: ['OPENROUTER_API_KEY', 'OPENROUTER_BASE_URL'],
    },
    {
      id: 'openai-compatible',
      configured: local !== undefined,
      baseUrl: local === undefined ? null : withoutCredentials(local),
      hasKey: env.OPENAI_COMPATIBLE_API_KEY !== undefined,
      variables: ['OPENAI_COMPATIBLE_BASE_URL', 'OPENAI_COMPATIBLE_API_KEY'],
    },
  ];
  return reports.map((report) => ({
    ...report,
    models: choices.filter(({ provider }) => provider === report.id).length,
  }));
}
