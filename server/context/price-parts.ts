import type { Message } from '#server/core/messages';
import type { Part } from '#server/core/parts';
import type { ModelTarget } from '#server/context/current-tokens';
import { mediaTokens } from '#server/context/media-tokens';
import { pairToolResults } from '#server/context/pair-tool-results';
import { type StoredView, isReasoningShown, verbatimMessages } from '#server/context/view';

/**
 * The stored view with the tokens of each part as this model's requests will have them, in our vocabulary: files by
 * the provider's formula, nothing for what the view leaves out (results of no call, reasoning that cannot go back). So
 * plans reckon with what is really sent.
 */
export function priceParts(stored: StoredView, target: Pick<ModelTarget, 'modelId' | 'tokenFactor'>): StoredView {
  const results = new Set<Part>(pairToolResults(verbatimMessages(stored)).values());
  const price = (part: Part, message: Message): number | null => {
    switch (part.type) {
      case 'file':
        return Math.ceil(mediaTokens(part.content, target.modelId) / target.tokenFactor);
      case 'tool-result':
        return results.has(part) ? part.tokens : 0;
      case 'reasoning':
        return isReasoningShown(part, message, target.modelId) ? part.tokens : 0;
      default:
        return part.tokens;
    }
  };
  const priced = (messages: readonly Message[]) =>
    messages.map((message) => {
      const tokens = message.parts.map((part) => price(part, message));
      const isSame = message.parts.every((part, index) => part.tokens === tokens[index]);
      if (isSame) return message;
      return { ...message, parts: message.parts.map((part, index) => ({ ...part, tokens: tokens[index] ?? null })) };
    });
  const { leading, summary, kept, messages } = stored;
  return { leading: priced(leading), summary, kept: priced(kept), messages: priced(messages) };
}
