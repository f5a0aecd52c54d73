import type { Message } from '#server/core/messages';
import type { Part, PartOf, ToolResultPart } from '#server/core/parts';
import { createBoundedCache } from '#server/core/bounded-cache';
import type { ModelTarget } from '#server/context/counting/current-tokens';
import { shownInput } from '#server/context/prune/excerpt-input';
import { fileCost } from '#server/context/counting/file-cost';
import { pairToolResults } from '#server/context/view/pair-tool-results';
import { countPartTokens, toolResultTokens } from '#server/context/part-tokens';
import { imageTokens, resultTextTokens, shownImages, unseenResults } from '#server/context/view/tool-image-view';
import { type StoredView, isReasoningShown, prunedOutputText, verbatimMessages } from '#server/context/view/view';
import { STORED_VOCABULARY, type Vocabulary, vocabularyOf } from '#server/context/counting/vocabulary';

/**
 * The stored view with the tokens of each part as this model's requests will have them, before its factor: in the
 * model's own vocabulary where that is another than the stored one, files and the images of the newest results by the provider's formula, nothing for what the view leaves out (results of no call, reasoning that cannot go back). So
 * plans reckon with what is really sent.
 */
export function priceParts(
  stored: StoredView,
  target: Pick<ModelTarget, 'modelId' | 'tokenFactor' | 'acceptsImages'>,
): StoredView {
  const vocabulary = vocabularyOf(target.modelId);
  const verbatim = verbatimMessages(stored);
  const byCall = pairToolResults(verbatim);
  const results = new Set<Part>(byCall.values());
  const unseen = unseenResults(verbatim, byCall);
  const resultTokens = (part: ToolResultPart) => {
    const images = shownImages(part);
    if (images.length === 0) return tokensIn(vocabulary, part);
    const { modelId, tokenFactor, acceptsImages = true } = target;
    const media = acceptsImages && unseen.has(part) ? imageTokens(images, modelId) : 0;
    return resultTextTokens(part, acceptsImages, vocabulary) + Math.ceil(media / tokenFactor);
  };
  const fileTokens = (part: PartOf<'file'>) => {
    const { text, media } = fileCost(part, target.modelId, target.acceptsImages);
    return text + Math.ceil(media / target.tokenFactor);
  };
  const price = (part: Part, message: Message): number | null => {
    switch (part.type) {
      case 'file':
        return fileTokens(part);
      case 'tool-result':
        return results.has(part) ? resultTokens(part) : 0;
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
