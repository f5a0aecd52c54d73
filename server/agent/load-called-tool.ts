import { z } from 'zod';
import type { PendingCall } from '#server/agent/run-tool-call';
import { ThroughlineError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { TOOL_NAME_SEPARATOR } from '#server/core/tool-result';
import { defineForModel, type Toolbox, type ToolInputSchema } from '#server/tools/tool';

/**
 * A call as it is. Of a tool that is called before it was loaded, ours runs where its input is right, and nothing has to
 * go for it; otherwise it is loaded first: the call then runs, or says what its input has to be.
 * @param load names what made room; throws ToolError for a tool that cannot be loaded
 */
export async function loadCalledTool(
  call: PendingCall,
  toolbox: Toolbox,
  load: (name: string) => Promise<readonly string[]>,
): Promise<PendingCall> {
  const tool = toolbox.find(call.toolName);
  if (call.error === undefined || !tool || toolbox.tools.includes(tool)) return call;
  const { inputSchema } = defineForModel(tool);
  const isRight = tool.input.safeParse(call.input).success && hasFieldsOf(inputSchema, call.input);
  if (isRight && !tool.name.includes(TOOL_NAME_SEPARATOR)) return { ...call, error: undefined };
  let putAway: readonly string[];
  try {
    putAway = await load(tool.name);
  } catch (error) {
    if (error instanceof ThroughlineError) return { ...call, error: error.message };
    throw error;
  }
  if (isRight) return { ...call, error: undefined };
  const schema = JSON.stringify(inputSchema);
  const room = putAway.length === 0 ? '' : ` Put away for it: ${putAway.join(', ')}; load it again when you need it.`;
  return {
    ...call,
    error: `${tool.name} was not loaded, so its call did not run. It is loaded now: call it with an input of this schema: ${schema}${room}`,
  };
}

const fieldsSchema = z.object({
  properties: z.record(z.string(), z.unknown()).catch({}),
  required: z.array(z.string()).catch([]),
});

/** Tells whether an input that was written without its schema has the fields that this names, and no other. */
function hasFieldsOf(schema: ToolInputSchema, input: JsonValue): boolean {
  const { properties, required } = fieldsSchema.parse(schema);
  const written = Object.keys(typeof input === 'object' && input !== null ? input : {});
  return (
    written.every((field) => Object.hasOwn(properties, field)) && required.every((field) => written.includes(field))
  );
}
