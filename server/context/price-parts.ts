import type { Message } from '#server/core/messages';
import type { Part } from '#server/core/parts';
import { createBoundedCache } from '#server/context/bounded-cache';
import type { ModelTarget } from '#server/context/current-tokens';
import { shownInput } from '#server/context/excerpt-input';
import { mediaTokens } from '#server/context/media-tokens';
import { pairToolResults } from '#server/context/pair-tool-results';
import { countPartTokens, toolResultTokens } from '#server/context/part-tokens';
import { type StoredView, isReasoningShown, prunedOutputText, verbatimMessages } from '#server/context/view';
import { STORED_VOCABULARY, type Vocabulary, vocabularyOf } from '#server/context/vocabulary';

/**
 * The stored view with the tokens of each part as this model's requests will have them, before its factor: in the
 * model's own vocabulary where that is another than the stored one, files by the provider's formula, nothing for what the view leaves out (results of no call, reasoning that cannot go back). So
 * plans reckon with what is really sent.
 */
export function priceParts(stored: StoredView, target: Pick<ModelTarget, 'modelId' | 'tokenFactor'>): StoredView {
  const vocabulary = vocabularyOf(target.modelId);
  const results = new Set<Part>(pairToolResults(verbatimMessages(stored)).values());
  const price = (part: Part, message: Message): number | null => {
    switch (part.type) {
      case 'file':
        return Math.ceil(mediaTokens(part.content, target.modelId) / target.tokenFactor);
      case 'tool-result':
        return results.has(part) ? tokensIn(vocabulary, part) : 0;
      case 'reasoning':
        return isReasoningShown(part, message, target.modelId) ? tokensIn(vocabulary, part) : 0;
      default:
        return tokensIn(vocabulary, part);
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

/** Counts in other vocabularies than the stored one. A part's text stays the same while its count and mark do. */
const counted = createBoundedCache<number>(50_000);

function tokensIn(vocabulary: Vocabulary, part: Part): number | null {
  if (vocabulary === STORED_VOCABULARY) return part.tokens;
  const { id, tokens, compactedAt, excerptChars } = part;
  if (tokens === null) return countShown(part, vocabulary);
  return counted([vocabulary, id, tokens, compactedAt, excerptChars].join(' '), () => countShown(part, vocabulary));
}

/** Tokens of a part as the view shows it now. */
function countShown(part: Part, vocabulary: Vocabulary): number {
  if (part.type === 'tool-result' && part.compactedAt !== null) {
    return toolResultTokens(part.content.toolCallId, prunedOutputText(part), vocabulary);
  }
  if (part.type !== 'tool-call') return countPartTokens(part, vocabulary);
  return countPartTokens({ type: 'tool-call', content: { ...part.content, input: shownInput(part) } }, vocabulary);
}
