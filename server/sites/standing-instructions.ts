import type { ContentBackend } from '#server/content/content-backend';
import { MAX_STANDING_TOKENS } from '#server/content/standing-instructions';
import { countTokens } from '#server/context/tokens';
import type { StandingReport } from '#server/core/content';
import { standingText } from '#server/core/standing-text';

/** The site's standing instructions, in memory for whoever cannot wait. */
export interface Standing {
  /** As models read them; empty where there are none. */
  readonly current: () => string;
  /**
   * Reads what is stored, whoever wrote it, in this process or in another: before each request to a model, and before
   * one is looked at. So it needs no signal, and a change is never missed.
   */
  readonly refresh: () => Promise<void>;
  /** What is stored, and what it costs. */
  readonly report: () => Promise<StandingReport>;
}

/** Reads what is stored. */
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
