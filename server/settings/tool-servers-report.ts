import { policyOf } from '#server/agent/tool-set';
import type { ContextSettings } from '#server/context/context-settings';
import type { McpServersReport } from '#server/core/mcp-servers';
import type { McpServers } from '#server/mcp/mcp-servers';

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
