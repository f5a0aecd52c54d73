import type { Site } from '#tests/eval/site';
import type { Score } from '#tests/eval/score';

/** What is asked about: facts, things that were made, work that is left, what was decided. */
export const probeKinds = ['recall', 'artifact', 'continuation', 'decision'] as const;
export type ProbeKind = (typeof probeKinds)[number];

/** One question, or one more thing to do, at the end of a session. */
export interface Probe {
  readonly kind: ProbeKind;
  /** As a person would ask it. */
  readonly question: string;
  /** The same for the basic assistant, in words that it knows; null: it needs a model. */
  readonly offlineQuestion: string | null;
  /**
   * Compares the answer with the known facts, or the site with its target state.
   * @param site after the answer
   * @param before the site when the probe was asked
   */
  score(answer: string, site: Site, before: Site): Score;
}
