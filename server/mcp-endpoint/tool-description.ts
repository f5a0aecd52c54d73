import type { Tool as ToolDescription } from '@modelcontextprotocol/sdk/types.js';
import { defineForModel } from '#server/tools/input-schema';
import type { Tool } from '#server/tools/tool';

/** Tools that may reach addresses outside the site. */
const REACHING_OUT: ReadonlySet<string> = new Set(['add_media']);

/**
 * A tool as other assistants are told of it. `destructiveHint` is what a person is asked about first: all else stays in
 * drafts and can be taken back.
 */
export function describeTool(tool: Tool): ToolDescription {
  const { name, description, inputSchema } = defineForModel(tool);
  const title = titleOf(name);
  return {
    name,
    title,
    description,
    inputSchema,
    annotations: {
      title,
      readOnlyHint: !tool.writes,
      destructiveHint: tool.writes === true && (tool.policy === 'ask' || tool.asks !== undefined),
      idempotentHint: !tool.writes,
      openWorldHint: REACHING_OUT.has(name),
    },
  };
}

/** `publish_content`: "Publish content" */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
