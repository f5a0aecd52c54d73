import { ContextOverflowError } from '#server/core/errors';
import { type LeastRequest, leastRequest, leastTokens } from '#server/context/room/least-request';
import type { Look } from '#server/context/look';

const NAMES: Readonly<Record<keyof LeastRequest, string>> = {
  fixed: 'instructions and tools',
  request: 'the newest message',
  newestStep: "the assistant's newest step",
  summary: 'a note about everything older',
};

/**
 * Names what does not fit, in words and in `details`: tokens that are usable, that the request has now and that it needs
 * at the least, and what it needs them for.
 */
export function overflowError(look: Look): ContextOverflowError {
  const { currentTokens } = look.measured;
  const usableTokens = look.budget.usable;
  const needs = leastRequest(look);
  const neededTokens = leastTokens(needs);
  const message =
    neededTokens > usableTokens
      ? `Even with everything older taken out, the request needs ${counted(neededTokens)} tokens (${listed(needs)}), ` +
        `but only ${counted(usableTokens)} are usable. ${adviceFor(needs)}`
      : `The request needs ${counted(currentTokens)} tokens but only ${counted(usableTokens)} are usable. ` +
        (look.settings.autoCompact ? '' : 'Automatic compaction is switched off. ') +
        'Compact the conversation, or choose a model with a larger window.';
  return new ContextOverflowError(message, {
    details: { usableTokens, currentTokens, neededTokens, needs: { ...needs } },
  });
}

/** The largest first. */
function listed(needs: LeastRequest): string {
  return (Object.keys(NAMES) as (keyof LeastRequest)[])
    .filter((name) => needs[name] > 0)
    .toSorted((a, b) => needs[b] - needs[a])
    .map((name) => `${counted(needs[name])} for ${NAMES[name]}`)
    .join(', ');
}

function adviceFor({ fixed, request, newestStep }: LeastRequest): string {
  return request >= Math.max(fixed, newestStep)
    ? 'Shorten the newest message or choose a model with a larger window.'
    : 'Choose a model with a larger window.';
}

function counted(tokens: number): string {
  return tokens.toLocaleString('en-US');
}
