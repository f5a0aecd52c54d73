import { type ToolSet, jsonSchema } from 'ai';
import type { JSONSchema7 } from '@ai-sdk/provider';
import { defineForModel } from '#server/tools/input-schema';
import type { ToolPolicy } from '#server/core/tool-policies';
import type { Tool, Toolbox } from '#server/tools/tool';

/** How the administrator lets tools run, by name; those not named do as they are made. */
export type ToolPolicies = Readonly<Record<string, ToolPolicy>>;

export function policyOf(
  policies: ToolPolicies,
  { name, policy = 'always' }: Pick<Tool, 'name' | 'policy'>,
): ToolPolicy {
  return (Object.hasOwn(policies, name) && policies[name]) || policy;
}

/**
 * The tools as the model is offered them: with terse schemas (zod still checks every input), and without `execute`,
 * because the executor runs the stored calls itself, so that a crash between call and result loses neither.
 */
export const toToolSet = oncePerToolbox((tools): ToolSet => {
  const entries = tools.map((tool) => {
    const { name, description, inputSchema } = defineForModel(tool);
    const schema = jsonSchema(inputSchema as JSONSchema7, { validate: (value) => validate(tool, value) });
    return [name, { description, inputSchema: schema }] as const;
  });
  return Object.fromEntries(entries);
});

/** Everything about the tools that is sent with every request, as one text, to count its tokens. */
export const toolSchemaText = oncePerToolbox((tools) =>
  JSON.stringify(tools.map((tool) => ({ type: 'function', ...defineForModel(tool) }))),
);

/** A toolbox never changes: what is made of it is made once. */
function oncePerToolbox<T>(make: (tools: readonly Tool[]) => T): (toolbox: Toolbox) => T {
  const made = new WeakMap<Toolbox, T>();
  return (toolbox) => {
    const known = made.get(toolbox) ?? make(toolbox.tools);
    made.set(toolbox, known);
    return known;
  };
}

function validate(tool: Tool, value: unknown) {
  const parsed = tool.input.safeParse(value);
  // The input itself goes on: it is stored as the model wrote it, and parsed again when the call runs.
  return parsed.success ? { success: true as const, value } : { success: false as const, error: parsed.error };
}
