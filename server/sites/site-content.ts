import type { ContentBackend, StandingState } from '#server/content/content-backend';
import { checkStandingInstructions, MAX_STANDING_TOKENS } from '#server/content/standing-instructions';
import { countTokens } from '#server/context/tokens';
import type { StandingReport } from '#server/core/content';
import { standingText } from '#server/core/standing-text';

/**
 * The content of one site, for whoever keeps it: its connection may be renewed meanwhile, or the site be disconnected. A
 * call that has started finishes on the connection it started with. CMS adapters are plain objects.
 * @param present the adapter as it is now @param shape any adapter
 */
export function contentOfSite(present: () => ContentBackend, shape: ContentBackend): ContentBackend {
  let drafts: ContentBackend | undefined;
  return {
    ...following(present, shape),
    draftsOnly: () => (drafts ??= contentOfSite(() => present().draftsOnly(), shape)),
    assets: following(() => present().assets, shape.assets),
  };
}

/** An object with the methods of `shape`, which call those of whatever `target` is at that moment. */
function following<T extends object>(target: () => T, shape: T): T {
  const methods = Object.keys(shape).map((name) => {
    const call = (...given: unknown[]) =>
      (target() as Record<string, (...args: unknown[]) => unknown>)[name]?.(...given);
    return [name, call] as const;
  });
  return Object.fromEntries(methods) as T;
}

/** Standing instructions of the sites, kept in memory for synchronous readers. */
export interface Standing {
  /** As models read them; empty where the site has none. */
  readonly current: (siteId: string) => string;
  /** The longest of all sites, for who reckons with any. */
  readonly longest: () => string;
  /**
   * Reads them again. Called before each request to a model, so that changes by other processes are seen without a
   * signal.
   */
  readonly refresh: (siteId: string) => Promise<void>;
  /** The instructions with their token count: those that are stored, or that a dry run was asked about. */
  readonly report: (siteId: string, written?: StandingState) => Promise<StandingReport>;
}

export function createStanding(contentOf: (siteId: string) => Pick<ContentBackend, 'standingInstructions'>): Standing {
  const texts = new Map<string, { readonly text: string; readonly read: number }>();
  let begun = 0;
  return {
    current: (siteId) => texts.get(siteId)?.text ?? '',
    longest: () => [...texts.values()].reduce((most, { text }) => (text.length > most.length ? text : most), ''),
    async refresh(siteId) {
      const read = (begun += 1);
      const text = standingText(await contentOf(siteId).standingInstructions());
      // One that began earlier may end later.
      if (read > (texts.get(siteId)?.read ?? 0)) texts.set(siteId, { text, read });
    },
    async report(siteId, written) {
      const { revision, ...given } = written ?? (await contentOf(siteId).standingInstructions());
      const instructions = { ...(written ? checkStandingInstructions(given, countTokens) : given), revision };
      return { ...instructions, tokens: countTokens(standingText(instructions)), maxTokens: MAX_STANDING_TOKENS };
    },
  };
}
