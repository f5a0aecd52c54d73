import type { SettingReference, SettingsReport } from '#server/core/settings-report';

/** What most administrators look for; the rest of a group is one click away. */
const main: ReadonlySet<string> = new Set([
  'defaultModel',
  'compactionModel',
  'modelWindowOverrides',
  'strategy',
  'autoCompact',
  'backgroundSummaries',
  'outputReserve',
  'usableShare',
  'targetShare',
  'softLimitShare',
  'toolPolicies',
  'toolBulkLimit',
  'toolDefinitionsLimit',
  'toolExecution',
  'toolTimeoutMs',
  'toolOutputLimit',
  'toolMaxOutputChars',
  'toolOutputChars',
  'maxSteps',
  'turnTimeLimitMs',
  'gracePeriodMs',
  'stepRetries',
  'pruneProtect',
  'pruneMinimum',
  'minTurnsToKeep',
  'summaryMaxTokens',
  'narrativeMaxTokens',
  'summaryTemperature',
  'summaryTimeout',
  'estimateMargin',
]);

/** Numbers of one strategy, shown with it: the rest of the time they do nothing. */
const ofStrategy: Readonly<Record<string, RegExp>> = {
  'proactive-threshold': /^proactive/,
  'middle-removal': /^(middleRemoval|firstRequest|note)/,
  'pruning-agent': /^pruningAgent/,
};

/**
 * Whether a setting is shown while its group is folded: what matters most, what the strategy in use goes by, and
 * whatever is not as it comes.
 */
export function isShownFolded(
  report: SettingsReport,
  { name }: SettingReference,
  strategy: unknown,
  changed: readonly string[],
): boolean {
  return (
    main.has(name) ||
    report.sources[name] !== 'default' ||
    changed.includes(name) ||
    ofStrategy[String(strategy)]?.test(name) === true
  );
}

/** In the order of the page: the settings that matter most first, then as the server lists them. */
export function inOrder(settings: readonly SettingReference[]): SettingReference[] {
  const order = [...main];
  const rank = ({ name }: SettingReference) => (main.has(name) ? order.indexOf(name) : order.length);
  return settings.toSorted((one, other) => rank(one) - rank(other));
}
