import { policyOf } from '#server/conversation/step/toolboxes';
import { type Env, processReference } from '#server/platform/config/env';
import { withoutCredentials } from '#server/settings/without-credentials';
import type { ContextSettings } from '#server/context/settings/context-settings';
import type { McpServersReport } from '#server/core/admin/mcp-servers';
import type { ProcessSetting, SettingsReport, ToolPolicy, ToolReport } from '#server/core/admin/settings-report';
import type { McpServers } from '#server/integrations/mcp-client/mcp-servers';
import type { Providers } from '#server/settings/connected-providers';
import type { Settings } from '#server/settings/settings';
import type { Tool } from '#server/tools/tool';

interface ReportSources {
  readonly env: Env;
  readonly settings: Settings;
  readonly providers: Providers;
  readonly tools: readonly Tool[];
  /** Tools of connected servers. `isOff`: the policy of the server turns the tool off. */
  readonly externalTools: readonly { readonly tool: Tool; readonly isOff: boolean }[];
}

/** What the settings page shows: settings, tools, providers and the variables of the process, without secrets. */
export function settingsReport({ env, settings, providers, tools, externalTools }: ReportSources): SettingsReport {
  return {
    ...settings.report(),
    tools: [
      ...tools.map((tool) => toolReport(tool, policyOf({}, tool))),
      ...externalTools.map(({ tool, isOff }) => toolReport(tool, isOff ? 'off' : policyOf({}, tool))),
    ],
    providers: providers.report(),
    process: processSettings(env),
  };
}

/** A tool as the settings page shows it. */
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

/** Values of variables with such names are never shown. */
const SECRET = /(TOKEN|KEY|SECRET|PASSWORD)$/;

/** The variables that are read only at the start: name, value and meaning, without secrets. */
function processSettings(env: Env): ProcessSetting[] {
  // All values of the environment have these types.
  const values = env as unknown as Readonly<Record<string, string | number | readonly string[] | undefined>>;
  return processReference().map((reference) => {
    const value = values[reference.name];
    const text = value === undefined ? '' : [value].flat().join(', ');
    const isSecret = SECRET.test(reference.name);
    return {
      ...reference,
      isSecret,
      isSet: text !== reference.default,
      value: isSecret || text === '' ? null : withoutCredentials(text),
    };
  });
}

/** The tool servers as the settings page shows them, with the current policies. */
export function toolServersReport(
  servers: McpServers,
  { toolPolicies, toolDefinitionsLimit }: ContextSettings,
): Promise<McpServersReport> {
  return servers.report(({ tool, isOff }) => {
    const isOverridden = Object.hasOwn(toolPolicies, tool.name);
    return { isOverridden, policy: isOff && !isOverridden ? 'off' : policyOf(toolPolicies, tool) };
  }, toolDefinitionsLimit);
}
