import { z } from 'zod';
import type { PendingCall } from '#server/agent/run-tool-call';
import { ThroughlineError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { defineForModel, type Toolbox, type ToolInputSchema } from '#server/tools/tool';

/**
 * A call as it is; a tool that is called before it was loaded is loaded first: the call then runs, or says what its input
 * has to be.
 * @param load throws ToolError for a tool that cannot be loaded
 */
export async function loadCalledTool(
  call: PendingCall,
  toolbox: Toolbox,
  load: (name: string) => Promise<void>,
): Promise<PendingCall> {
  const tool = toolbox.find(call.toolName);
  if (call.error === undefined || !tool || toolbox.tools.includes(tool)) return call;
  try {
    await load(tool.name);
  } catch (error) {
    if (error instanceof ThroughlineError) return { ...call, error: error.message };
    throw error;
  }
  const { inputSchema } = defineForModel(tool);
  if (tool.input.safeParse(call.input).success && hasFieldsOf(inputSchema, call.input)) {
    return { ...call, error: undefined };
  }
  const schema = JSON.stringify(inputSchema);
  return {
    ...call,
    error: `${tool.name} was not loaded. Make the call again with an input of this schema: ${schema}`,
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
