import type { CompletionReport } from '#server/completions/completion-context';

/** What was done to a conversation before its answer began, as response headers. */
export function reportHeaders(report: CompletionReport | null): Record<string, string> {
  if (!report) return {};
  return {
    'x-throughline-window': String(report.contextWindow),
    'x-throughline-tokens-before': String(report.tokensBefore),
    'x-throughline-tokens': String(report.tokensAfter),
    'x-throughline-pruned-outputs': String(report.prunedOutputs),
    'x-throughline-compacted-messages': String(report.compactedMessages),
    'x-throughline-round': String(report.round),
    'x-throughline-summary': report.summary,
  };
}
