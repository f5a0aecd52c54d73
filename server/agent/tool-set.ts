import { type ToolSet, jsonSchema } from 'ai';
import type { JSONSchema7 } from '@ai-sdk/provider';
import { defineForModel } from '#server/tools/input-schema';
import type { ToolPolicy } from '#server/context/context-settings';
import type { Tool } from '#server/tools/tool';

/** How the administrator lets tools run, by name; those not named run always. */
export type ToolPolicies = Readonly<Record<string, ToolPolicy>>;

export function policyOf(policies: ToolPolicies, toolName: string): ToolPolicy {
  return (Object.hasOwn(policies, toolName) && policies[toolName]) || 'always';
}

/** The tools that a model is offered: all but those that are switched off. */
export function offeredTools(toolSet: ToolSet, policies: ToolPolicies): ToolSet {
  return Object.fromEntries(Object.entries(toolSet).filter(([name]) => policyOf(policies, name) !== 'off'));
}

/**
 * The tools as the model is offered them: with terse schemas (zod still checks every input), and without `execute`,
 * because the executor runs the stored calls itself, so that a crash between call and result loses neither.
 */
export function toToolSet(tools: readonly Tool[]): ToolSet {
  return Object.fromEntries(
    tools.map((tool) => {
      const { name, description, inputSchema } = defineForModel(tool);
      const schema = jsonSchema(inputSchema as JSONSchema7, { validate: (value) => validate(tool, value) });
      return [name, { description, inputSchema: schema }];
    }),
  );
}

/** Everything about the tools that is sent with every request, as one text, to count its tokens. */
export function toolSchemaText(tools: readonly Tool[]): string {
  return JSON.stringify(tools.map((tool) => ({ type: 'function', ...defineForModel(tool) })));
}

function validate(tool: Tool, value: unknown) {
  const parsed = tool.input.safeParse(value);
  // The input itself goes on: it is stored as the model wrote it, and parsed again when the call runs.
  return parsed.success ? { success: true as const, value } : { success: false as const, error: parsed.error };
}
