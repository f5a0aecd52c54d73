import { TestOutcome } from '#components/settings/test-outcome';
import type { TestResult } from '#lib/settings/use-test';
import { settingsStrings } from '#lib/strings/settings';
import type { McpTest } from '#server/core/mcp-servers';

const text = settingsStrings.toolServers;

/** What came of the test of a tool server. */
export function ToolServerOutcome({ result }: { readonly result: TestResult<McpTest> }) {
  return (
    <TestOutcome result={result} latencyMs={result?.ok ? result.latencyMs : null}>
      {result && (result.ok ? text.answers(result.tools ?? 0, result.tokens ?? 0) : result.message)}
    </TestOutcome>
  );
}
