import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import type { ChangeOrigin } from '#server/core/site/changes';
import type { JsonValue } from '#server/core/json';
import { createContentRepository } from '#server/site/store/content-repository';
import { findTool } from '#server/tools/index';
import type { ToolContext } from '#server/tools/tool';
import { createTestDatabase } from '#tests/support/test-database';

export const toolOrigin: ChangeOrigin = {
  actor: 'assistant',
  sessionId: 'ses_1',
  turnId: 'trn_1',
  toolCallId: 'call_1',
};

interface ToolInput {
  readonly [key: string]: JsonValue;
}

/** Calls a tool as a model does, with JSON, and gives its result as JSON. */
export type RunTool = <Result = { readonly [key: string]: JsonValue }>(
  name: string,
  input?: ToolInput,
) => Promise<Result>;

/**
 * Runs tools over an empty site.
 * @param more what else the tools reach
 */
export async function withToolsOf(
  test: (run: RunTool, site: ContentBackend) => Promise<void>,
  more: Partial<ToolContext> = {},
): Promise<void> {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db));
  let calls = 0;
  const run = async (name: string, input: ToolInput = {}): Promise<never> => {
    const tool = findTool(name);
    if (!tool) throw new Error(`no tool ${name}`);
    calls += 1;
    const context = { ...more, content, origin: { ...toolOrigin, toolCallId: `call_${calls}` } };
    const value = await tool.execute(tool.input.parse(input), context as unknown as ToolContext);
    return JSON.parse(JSON.stringify(value)) as never;
  };
  await test(run, content);
}
