import type { ContentBackend, StandingState } from '#server/site/content-backend';
import { checkStandingInstructions, MAX_STANDING_TOKENS } from '#server/site/standing-instructions';
import { countTokens } from '#server/context/tokens';
import { standingText } from '#server/core/site/standing-text';
import type { StandingReport } from '#server/core/site/standing-instructions';

/** The standing instructions of the sites, cached in memory for synchronous readers. */
export interface StandingCache {
  /** The instructions as models read them; empty if the site has none, and before the first `refresh`. */
  readonly current: (siteId: string) => string;
  /** The longest instructions of all sites, for callers that must allow for any site. */
  readonly longest: () => string;
  /**
   * Reads the instructions again. Called before each request to a model, so that changes by other processes are seen
   * without a signal.
   */
  readonly refresh: (siteId: string) => Promise<void>;
  /** The instructions with their token count: the stored ones, or those of a dry run. */
  readonly report: (siteId: string, written?: StandingState) => Promise<StandingReport>;
}

/** Creates an empty cache. @param contentOf returns the content of a site */
export function createStandingCache(
  contentOf: (siteId: string) => Pick<ContentBackend, 'standingInstructions'>,
): StandingCache {
  const texts = new Map<string, { readonly text: string; readonly read: number }>();
  let readCount = 0;
  return {
    current: (siteId) => texts.get(siteId)?.text ?? '',
    longest: () =>
      [...texts.values()].reduce((longest, { text }) => (text.length > longest.length ? text : longest), ''),
    async refresh(siteId) {
      const read = (readCount += 1);
      const text = standingText(await contentOf(siteId).standingInstructions());
      // A read that started earlier may finish later.
      if (read > (texts.get(siteId)?.read ?? 0)) texts.set(siteId, { text, read });
    },
    async report(siteId, written) {
      const { revision, ...given } = written ?? (await contentOf(siteId).standingInstructions());
      const instructions = { ...(written ? checkStandingInstructions(given, countTokens) : given), revision };
      return { ...instructions, tokens: countTokens(standingText(instructions)), maxTokens: MAX_STANDING_TOKENS };
    },
  };
}
