import { policyOf } from '#server/agent/tool-set';
import type { SettingsReport, ToolReport } from '#server/core/settings-report';
import type { ToolPolicy } from '#server/core/tool-policies';
import type { Env } from '#server/env';
import type { ModelRegistry } from '#server/models/model-registry';
import { describeProviders } from '#server/models/providers/describe-providers';
import { processSettings } from '#server/settings/process-settings';
import type { Settings } from '#server/settings/settings';
import type { Tool } from '#server/tools/tool';

interface ReportSources {
  readonly env: Env;
  readonly settings: Settings;
  readonly models: ModelRegistry;
  readonly tools: readonly Tool[];
  /** Of tool servers; off where their server's policy says so. */
  readonly foreignTools: readonly { readonly tool: Tool; readonly isOff: boolean }[];
}

/** Everything the settings page shows, as it is now. */
export function settingsReport({ env, settings, models, tools, foreignTools }: ReportSources): SettingsReport {
  return {
    ...settings.report(),
    tools: [
      ...tools.map((tool) => toolReport(tool, policyOf({}, tool))),
      ...foreignTools.map(({ tool, isOff }) => toolReport(tool, isOff ? 'off' : policyOf({}, tool))),
    ],
    providers: describeProviders(env, models.list()),
    process: processSettings(env),
  };
}

function toolReport(tool: Tool, policy: ToolPolicy): ToolReport {
  return {
    name: tool.name,
    description: tool.description,
    writes: tool.writes ?? false,
    policy,
    exemptFromPruning: tool.exemptFromPruning ?? false,
    maxOutputChars: tool.maxOutputChars ?? null,
  };
}
