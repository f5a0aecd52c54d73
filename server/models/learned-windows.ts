import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import type { Clock, FaultLog } from '#server/core/process';
import { z } from 'zod';
import type { ReadRequest } from '#server/context/current-tokens';
import { windowReasons } from '#server/core/admin/settings-report';
import type { CatalogStore } from '#server/models/model-catalog';
import type { ModelLimits } from '#server/models/model-limits';

/** How a context window was learned. */
export type WindowReason = (typeof windowReasons)[number];

const learnedSchema = z.object({
  /** Maximum tokens that the model accepts. */
  window: z.number().int().positive(),
  reason: z.enum(windowReasons),
  /**
   * The context window that was assumed when this one was learned; a different value reported or set later replaces the
   * learned one.
   */
  assumed: z.number().int().positive(),
});
type LearnedWindow = z.infer<typeof learnedSchema>;
const storedSchema = z.record(z.string(), learnedSchema);

/** Key of the stored list. */
const SOURCE = 'learned windows';

interface LearnedWindowsOptions extends FaultLog, Clock {
  readonly store: CatalogStore;
}

/**
 * Smallest context window that is learned, tokens. The instructions and the smallest set of tools take about 1,000: in
 * a smaller window every message would end with our own error, while the server's error names its actual limit. It is
 * also the smallest default of the servers that cut requests (Ollama, before version 0.6).
 */
const LEAST_LEARNED_WINDOW = 2_048;

/**
 * Actual context windows of models, smaller than their servers or the settings state. Each is an upper bound until the
 * server reports another window or the owner sets one.
 */
export class LearnedWindows {
  readonly #options: LearnedWindowsOptions;
  readonly #windows: Map<string, LearnedWindow>;

  private constructor(options: LearnedWindowsOptions, windows: Record<string, LearnedWindow>) {
    this.#options = options;
    this.#windows = new Map(Object.entries(windows));
  }

  /** Reads what was learned before; starts empty if it cannot be read. */
  static async load(options: LearnedWindowsOptions): Promise<LearnedWindows> {
    try {
      const stored = await options.store.load(SOURCE);
      return new LearnedWindows(options, stored ? storedSchema.parse(stored.models) : {});
    } catch (error) {
      options.onFault('learned context windows cannot be read', error);
      return new LearnedWindows(options, {});
    }
  }

  /** The limits, bounded by the window that was learned for the model, with a corresponding warning. */
  bound(modelId: string, limits: ModelLimits): ModelLimits {
    const learned = this.find(modelId, limits);
    if (!learned) return limits;
    const { window } = learned;
    return {
      ...limits,
      contextWindow: window,
      maxOutputTokens: Math.min(limits.maxOutputTokens, window),
      known: true,
      warning: warningOf(modelId, learned),
    };
  }

  /**
   * Stores a context window below the assumed one. A window that an error names also replaces a larger or smaller one
   * that was only concluded. @returns whether it is new
   */
  async learn(modelId: string, window: number, reason: WindowReason, limits: ModelLimits): Promise<boolean> {
    if (!Number.isInteger(window) || window < LEAST_LEARNED_WINDOW || window >= limits.contextWindow) return false;
    const known = this.find(modelId, limits);
    const isBetter = !known || window < known.window || (reason === 'error' && known.reason !== 'error');
    if (!isBetter || window === known?.window) return false;
    this.#windows.set(modelId, { window, reason, assumed: limits.contextWindow });
    await this.#save(modelId);
    return true;
  }

  /** The window that applies to the model with these limits; null if none was learned, or another one is set since. */
  find(modelId: string, limits: ModelLimits): LearnedWindow | null {
    const learned = this.#windows.get(modelId);
    if (!learned || learned.window >= limits.contextWindow || learned.assumed !== limits.contextWindow) return null;
    return learned;
  }

  /** Removes the learned window of a model. @returns whether there was one */
  async forget(modelId: string): Promise<boolean> {
    if (!this.#windows.delete(modelId)) return false;
    await this.#save(modelId);
    return true;
  }

  async #save(modelId: string): Promise<void> {
    const { store, now, onFault } = this.#options;
    const failed = (error: unknown) => onFault(`the learned context window of ${modelId} cannot be stored`, error);
    await store.save(SOURCE, Object.fromEntries(this.#windows), now()).catch(failed);
  }
}

/** Reasons as the message names them. */
const REASONS: Readonly<Record<WindowReason, string>> = {
  error: 'error',
  'cut-prompt': 'cut',
  'ended-answers': 'ended',
};

function warningOf(modelId: string, { window, reason, assumed }: LearnedWindow): ServerText {
  return serverText('model-window-learned', {
    model: modelId,
    tokens: window,
    before: assumed,
    reason: REASONS[reason],
  });
}

/**
 * Share of our own count below which a report does not cover the whole request: no tokenizer is that much more
 * efficient than ours.
 */
const CUT_SHARE = 0.55;
/** Tokens below which a report is not conclusive. */
const LEAST_REPORT = 1_000;
/** Reports within this share of each other count as equal. */
const SAME_REPORT = 0.05;

/**
 * Finds requests that their servers have cut silently. A report that is too small can also come from a server that
 * omits the tokens in its prompt cache, so it is conclusive only if a cache cannot explain it.
 */
export class CutRequests {
  /** The last inconclusive report of each model. */
  readonly #unclear = new Map<string, ReadRequest>();

  /**
   * Adds the report on a request.
   * @returns whether it covers only a part of the request, and the context window; null while that is uncertain
   */
  add(modelId: string, read: ReadRequest): { readonly isPart: boolean; readonly window: number | null } {
    const { reported, least, counted } = read;
    const isPart = reported < counted * CUT_SHARE || (least !== null && reported < least);
    if (!isPart || reported < LEAST_REPORT) return { isPart, window: null };
    const before = this.#unclear.get(modelId);
    this.#unclear.delete(modelId);
    // A server that cuts keeps space for the answer (Ollama half of the window), and windows are powers of two.
    if (isCut(read) || (before && areCut(before, read))) return { isPart, window: 2 ** Math.ceil(Math.log2(reported)) };
    this.#unclear.set(modelId, read);
    return { isPart, window: null };
  }
}

/** Returns whether the prompt cache of a server cannot explain that it has reported too few tokens. */
function isCut({ reported, least, counted, fixed, newest }: ReadRequest): boolean {
  // The newest message is not in a cache.
  if (reported < newest * CUT_SHARE) return true;
  // A cache contains the beginning of a request, so at least most of the instructions and tools. This comparison needs
  // an earlier report without omissions.
  return least !== null && least >= (counted - newest) * CUT_SHARE && least - reported < fixed / 2;
}

/**
 * Returns whether two reports in a row, which the newest messages do not explain, end at the same number although the
 * requests differ.
 */
function areCut(one: ReadRequest, other: ReadRequest): boolean {
  const isSame = Math.abs(one.reported - other.reported) <= one.reported * SAME_REPORT;
  const isUnexplained = [one, other].every(({ reported, newest }) => reported > newest * 2);
  return isSame && isUnexplained && one.counted !== other.counted;
}

/** Tolerance for sums of request and answer that count as equal; share. */
const SAME_SUM = 0.01;
/** Number of answers that have to end at the same sum. */
const ENDED_ANSWERS = 3;

/**
 * Finds the context window of a server whose answers end at the same sum of request and answer, regardless of their
 * output limits.
 */
export class EndedAnswers {
  readonly #sums = new Map<string, number[]>();

  /** Adds the sum of an answer that its server has ended. @returns the window when it is certain, else null */
  add(modelId: string, sum: number): number | null {
    const sums = [...(this.#sums.get(modelId) ?? []), sum].filter((each) => Math.abs(each - sum) <= sum * SAME_SUM);
    this.#sums.set(modelId, sums.slice(-ENDED_ANSWERS));
    return sums.length >= ENDED_ANSWERS ? Math.max(...sums) : null;
  }
}
