import type { ContextSettings } from '#server/context/settings/context-settings';
import { MIN_ANSWER_SHARE, type ProgramCompactionRules } from '#server/core/admin/program-compaction';

/** The settings that the rules of a provider replace for conversations of other programs. */
export function programSettings(settings: ContextSettings, rules: ProgramCompactionRules): Partial<ContextSettings> {
  const { strategy, compactAt, endAt, pruningAgentModel } = rules;
  return {
    ...(strategy !== undefined && { strategy }),
    ...(compactAt !== undefined && {
      proactiveThreshold: compactAt,
      middleRemovalThreshold: compactAt,
      pruningAgentThreshold: compactAt,
    }),
    ...(endAt !== undefined && {
      realTimeShare: endAt,
      usableShare: Math.min(settings.usableShare, endAt - MIN_ANSWER_SHARE),
    }),
    ...(pruningAgentModel !== undefined && { pruningAgentModel }),
  };
}

/** The rules for a model. @param provider the provider that serves it; null: none does */
export function programRulesOf(
  { programCompaction }: ContextSettings,
  provider: string | null,
): ProgramCompactionRules {
  return Object.entries(programCompaction).find(([id]) => id === provider)?.[1] ?? {};
}
