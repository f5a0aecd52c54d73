import type { ContentBackend } from '#server/content/content-backend';
import { MAX_STANDING_TOKENS } from '#server/content/standing-instructions';
import { countTokens } from '#server/context/tokens';
import type { StandingReport } from '#server/core/content';
import { standingText } from '#server/core/engine-words';

/** An object whose methods call those of whatever `target` is at that moment. Adapters are plain objects. */
function following<T extends object>(target: () => T): T {
  const methods = Object.keys(target()).map((name) => {
    const call = (...given: unknown[]) =>
      (target() as Record<string, (...args: unknown[]) => unknown>)[name]?.(...given);
    return [name, call] as const;
  });
  return Object.fromEntries(methods) as T;
}

/**
 * The content of whichever site is active when a method is called, for code that keeps one CMS adapter. A call that has
 * started finishes on the site it started on.
 */
export function createActiveContent(current: () => ContentBackend): ContentBackend {
  let drafts: ContentBackend | undefined;
  return {
    ...following(current),
    draftsOnly: () => (drafts ??= createActiveContent(() => current().draftsOnly())),
    assets: following(() => current().assets),
  };
}

/** The site's standing instructions, kept in memory for synchronous readers. */
export interface Standing {
  /** As models read them; empty where there are none. */
  readonly current: () => string;
  /**
   * Reads them again. Called before each request to a model, so that changes by other processes are seen without a
   * signal.
   */
  readonly refresh: () => Promise<void>;
  /** The stored instructions with their token count. */
  readonly report: () => Promise<StandingReport>;
}

export async function createStanding(content: Pick<ContentBackend, 'standingInstructions'>): Promise<Standing> {
  let text = '';
  let begun = 0;
  let taken = 0;
  const refresh = async () => {
    const read = (begun += 1);
    const instructions = await content.standingInstructions();
    // One that began earlier may end later.
    if (read < taken) return;
    taken = read;
    text = standingText(instructions);
  };
  await refresh();
  return {
    current: () => text,
    refresh,
    async report() {
      const instructions = await content.standingInstructions();
      return { ...instructions, tokens: countTokens(standingText(instructions)), maxTokens: MAX_STANDING_TOKENS };
    },
  };
}
