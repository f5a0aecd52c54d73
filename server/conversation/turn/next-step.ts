import { writtenCall } from '#server/conversation/step/repeated-calls';
import { classifyProviderError, ENDED_EARLY, FAULTY } from '#server/conversation/step/provider-errors';
import type { StepOutcome } from '#server/conversation/step/stream-processor';
import { COMPLETED } from '#server/conversation/turn/turn-ending';
import { countTokens } from '#server/context/tokens';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { NOTE_LABEL } from '#server/core/conversation/labels';
import type { CompactionReason } from '#server/core/conversation/events';
import type { TurnEnding } from '#server/core/conversation/turn-store';
import { stretch } from '#server/core/text/short-text';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import type { Toolbox } from '#server/tools/tool';

/** Settings for a turn's next step. */
export interface NextStep {
  /** Compact first, even if the request fits. */
  readonly force?: CompactionReason;
  /** Note to the model before its next step; the engine writes it, in the user's role. */
  readonly note?: string;
}

/** What `TurnProgress` knows of the turn besides the outcome of its step. */
interface TurnCircumstances {
  readonly settings: ContextSettings;
  /** The tools that the model can call. */
  readonly toolbox: Toolbox;
  /** Tokens of the newest messages that a compaction keeps. @throws UnknownModelError */
  readonly tailTokens: () => number;
}

/** Number of cut steps in a row that add nothing to the answer, at which the turn ends. */
const MAX_FRUITLESS = 2;

/** Decides after each step of a turn whether and how the turn continues. */
export class TurnProgress {
  /** Calls in a row that were cut by the output limit of the model. */
  #cutCalls = 0;
  /** Steps in a row that filled the window in the middle of a call, which is made again from its beginning. */
  #unfinishedCalls = 0;
  /** Cut steps in a row that added nothing. */
  #fruitless = 0;
  /** Text of the newest step if it was cut. */
  #cutText = '';
  #hasAskedAgain = false;

  decideNext(outcome: StepOutcome, { settings, toolbox, tailTokens }: TurnCircumstances): TurnEnding | NextStep {
    const { wasCut, calls, droppedCall, finishReason, lastText } = outcome;
    const { autoCompact, maxContinuations } = settings;
    this.#noteCut(outcome);
    if (wasCut && this.#fruitless >= MAX_FRUITLESS) return CUT_AGAIN;
    if (this.#unfinishedCalls > maxContinuations) return CALL_TOO_LONG;
    if (wasCut && isSharedContext(outcome)) return { note: continueNote(outcome, 0) };
    if (wasCut) {
      const force = compactionAfter(outcome);
      const isAllowed = autoCompact || force === 'provider-overflow';
      return isAllowed ? { force, note: continueNote(outcome, tailTokens()) } : CUT_WITHOUT_COMPACTION;
    }
    if (outcome.isRepeating && calls.length === 0) return REPEATING;
    const isCutCall = droppedCall !== null && finishReason === 'length';
    this.#cutCalls = isCutCall ? this.#cutCalls + 1 : 0;
    if (isCutCall && this.#cutCalls <= maxContinuations) return { note: smallerPiecesNote(droppedCall) };
    if (calls.length > 0) return {};
    const isEmpty = lastText.trim() === '' && droppedCall === null && !ENDED_EARLY.has(finishReason);
    const isFaulty = finishReason === FAULTY;
    if ((isEmpty || isFaulty) && !this.#hasAskedAgain) {
      this.#hasAskedAgain = true;
      return { note: isFaulty ? FAULTY_NOTE : EMPTY_NOTE };
    }
    return answeredEnding(outcome, toolbox);
  }

  /** Counts cut steps that added neither a call, nor the beginning of one, nor words that were not there before. */
  #noteCut(outcome: StepOutcome): void {
    const { wasCut, calls, cutCalls, lastText } = outcome;
    const isUnfinished = wasCut && calls.length === 0 && cutCalls.length > 0 && !isSharedContext(outcome);
    this.#unfinishedCalls = isUnfinished ? this.#unfinishedCalls + 1 : 0;
    const saysNothing = lastText.trim() === '' || lastText === this.#cutText;
    this.#fruitless = wasCut && calls.length === 0 && !isUnfinished && saysNothing ? this.#fruitless + 1 : 0;
    this.#cutText = wasCut ? lastText : '';
  }
}

const FAULTY_NOTE = `${NOTE_LABEL} The answer ended in a call that could not be read, so nothing was run. Make the call again, or say in words what is so.`;

const EMPTY_NOTE = `${NOTE_LABEL} The answer held no words and no call. Go on with the work, or say in words what was done and found.`;

function smallerPiecesNote(toolName: string): string {
  return `${NOTE_LABEL} The answer reached the longest output that the model gives, in the middle of a call of ${toolName}, which has not been run. Make the call again in smaller pieces: less text at once, and the rest in further calls. Do not repeat what was done before it.`;
}

/** Ending of a turn that ended by itself, but without a normal answer: what happened, and what the user can do. */
const notice = (error: ServerText): TurnEnding => ({ status: 'completed', error });

const CUT_AGAIN = notice(serverText('answer-filled-window'));
const CUT_WITHOUT_COMPACTION = notice(serverText('answer-filled-window-without-compaction'));
const CALL_TOO_LONG = notice(serverText('answer-call-too-long'));
const TEXT_TOO_LONG = notice(serverText('answer-text-too-long'));
const THOUGHTS_TOO_LONG = notice(serverText('answer-thoughts-too-long'));
const REPEATING = notice(serverText('answer-repeats'));
const ENDED_BY_SERVER = notice(serverText('answer-ended-by-server'));
const FILTERED = notice(serverText('answer-filtered'));
const UNREADABLE = notice(serverText('answer-call-unreadable'));
const THOUGHTS_ONLY = notice(serverText('answer-only-thoughts'));
const EMPTY = notice(serverText('answer-empty'));

/** The ending of a turn whose model requests no more calls. */
function answeredEnding(
  { droppedCall, finishReason, lastText, hasThoughts, endedByServer = false }: StepOutcome,
  toolbox: Toolbox,
): TurnEnding {
  const isSilent = lastText.trim() === '';
  if (droppedCall !== null) return CALL_TOO_LONG;
  if (finishReason === 'length' && endedByServer) return ENDED_BY_SERVER;
  if (finishReason === 'length') return isSilent ? THOUGHTS_TOO_LONG : TEXT_TOO_LONG;
  if (finishReason === 'content-filter') return FILTERED;
  if (finishReason === FAULTY) return UNREADABLE;
  if (isSilent) return hasThoughts ? THOUGHTS_ONLY : EMPTY;
  const written = writtenCall(lastText, (name) => toolbox.find(name) !== undefined);
  return written === null ? COMPLETED : notice(serverText('answer-call-as-text', { tool: written }));
}

/** Characters of the end of a cut text that the note repeats if the text itself stays in the view. */
const QUOTED_CHARS = 600;
/** Share of the newest tokens above which a cut text might not stay in the view. A choice, not measured. */
const STAYING_SHARE = 0.5;
/**
 * Share of the newest tokens that the note may take. As the newest step it is kept even if it is larger than these, and
 * less than half of the view leaves the summary its place. A choice, not measured.
 */
const QUOTED_SHARE = 2.2;

/** The end of a cut text that the note repeats: as much as the newest messages may take, if the text does not stay. */
function quotedEnd(text: string, tailTokens: number): string {
  const last = stretch(text, text.length - QUOTED_CHARS, text.length);
  if (countTokens(text) <= tailTokens * STAYING_SHARE) return last;
  const most = Math.floor(tailTokens * QUOTED_SHARE);
  let chars = text.length;
  while (chars > QUOTED_CHARS) {
    const end = stretch(text, text.length - chars, text.length);
    const tokens = countTokens(end);
    if (tokens <= most) return end;
    chars = Math.floor(chars * Math.min(0.9, most / tokens));
  }
  return last;
}

const CUT = `${NOTE_LABEL} The answer was cut here because the context window was full; older messages have been summarized.`;

const SHARED = `${NOTE_LABEL} The answer was cut here because the model server was busy with another one.`;

/** Returns whether a step failed because it shared the context of its server with other answers. */
export function isSharedContext({ error }: Pick<StepOutcome, 'error'>): boolean {
  return error !== undefined && classifyProviderError(error).kind === 'shared-context';
}

/**
 * Note for the next step after a cut one; the engine writes it, in the user's role.
 * @param tailTokens tokens of the newest messages that a compaction keeps; 0: nothing is compacted
 */
export function continueNote(
  outcome: Pick<StepOutcome, 'calls' | 'lastText' | 'droppedCall' | 'cutCalls' | 'error'>,
  tailTokens: number,
): string {
  const { calls, lastText, droppedCall, cutCalls } = outcome;
  const cut = isSharedContext(outcome) ? SHARED : CUT;
  if (droppedCall !== null) {
    const written = cutCalls.at(-1);
    // The compaction may have summarized the call, so the note names its part.
    const recall = written ? ` recall_output id: ${written.partId} reads the input that was written so far.` : '';
    return `${cut} The call of ${droppedCall} was not complete and has not been run: make it again, in smaller pieces where its input is long.${recall} Do not repeat what was said or done before it.`;
  }
  if (calls.length > 0) return `${cut} Its tool calls have been run. Go on from their results.`;
  if (lastText === '') return `${cut} It had not said anything yet: answer now, briefly.`;
  return `${cut} Continue exactly where the text stopped, without repeating anything that is there already. It ends with:\n${quotedEnd(lastText, tailTokens)}`;
}

/** The reason to compact before the next step after a cut one. */
function compactionAfter({ error }: StepOutcome): CompactionReason {
  return error === undefined ? 'real-time' : 'provider-overflow';
}
