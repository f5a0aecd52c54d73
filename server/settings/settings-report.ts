import { policyOf } from '#server/agent/toolboxes';
import { type Env, processReference, withoutCredentials } from '#server/config/env';
import type { ContextSettings } from '#server/context/settings/context-settings';
import type { McpServersReport } from '#server/core/mcp-servers';
import type { ModelList, ProcessSetting, SettingsReport, ToolPolicy, ToolReport } from '#server/core/settings-report';
import type { McpServers } from '#server/mcp/mcp-servers';
import type { Providers } from '#server/settings/providers';
import type { Settings } from '#server/settings/settings';
import type { Tool } from '#server/tools/tool';
import type { ModelRegistry } from '#server/models/model-registry';
import { RECOMMENDED_ON, recommendedAmong, USUAL_TURN } from '#server/models/recommended';

interface ReportSources {
  readonly env: Env;
  readonly settings: Settings;
  readonly providers: Pick<Providers, 'report'>;
  readonly tools: readonly Tool[];
  /** Tools of connected servers; off where their server's policy says so. */
  readonly externalTools: readonly { readonly tool: Tool; readonly isOff: boolean }[];
}

/** Everything the settings page shows, as it is now. */
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

/** Whatever is called so is never shown. */
const SECRET = /(TOKEN|KEY|SECRET|PASSWORD)$/;

/** The variables that are read once, at the start: name, value and meaning, without secrets. */
function processSettings(env: Env): ProcessSetting[] {
  // Of the process, all are of these kinds.
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

/** The tool servers as the settings page shows them, with the policies in force. */
export function toolServersReport(
  servers: McpServers,
  { toolPolicies, toolDefinitionsLimit }: Pick<ContextSettings, 'toolPolicies' | 'toolDefinitionsLimit'>,
): Promise<McpServersReport> {
  return servers.report(({ tool, isOff }) => {
    const isOverridden = Object.hasOwn(toolPolicies, tool.name);
    return { isOverridden, policy: isOff && !isOverridden ? 'off' : policyOf(toolPolicies, tool) };
  }, toolDefinitionsLimit);
}

/** Reads a typical turn's tokens; null: none is known. */
type FindTurn = (sessionId: string) => Promise<ModelList['typicalTurn'] | null>;

/**
 * The models that may be chosen, with what a turn would cost with each.
 * @param sessionId the conversation whose turns are meant; null: what a turn usually takes
 */
export async function modelList(
  models: Pick<ModelRegistry, 'list' | 'defaultModelId' | 'pictureModelId'>,
  findTurn: FindTurn,
  sessionId: string | null,
): Promise<ModelList> {
  const turn = (sessionId === null ? null : await findTurn(sessionId)) ?? USUAL_TURN;
  const choices = models.list();
  const recommended = recommendedAmong((id) => choices.some((choice) => choice.id === id));
  return {
    items: choices.map(({ priceOf, ...choice }) => ({
      ...choice,
      acceptsImages: choice.acceptsImages || models.pictureModelId !== null,
      turnPrice: priceOf(turn),
      recommended: recommended.get(choice.id) ?? null,
    })),
    defaultModelId: models.defaultModelId,
    typicalTurn: turn,
    recommendedOn: RECOMMENDED_ON,
  };
}
