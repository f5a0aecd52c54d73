import { describe, expect, it } from 'vitest';
import type { Message, NewMessage } from '#server/core/conversation/messages';
import type { ModelTarget } from '#server/context/budget';
import { cautiousTokens, measure, type Measured, observe } from '#server/context/current-tokens';
import { type Calibrations, loadCalibrations } from '#server/context/calibration';
import { importMessages } from '#server/conversation/import/import-messages';
import { buildView, type StoredView } from '#server/context/view';
import { storedMessages } from '#tests/support/arbitrary-history';
import { readLongTranscript } from '#tests/support/transcripts';

const MODEL = 'anthropic/claude-sonnet-4.5';
const BEFORE_CALIBRATION = 1.1;
const CALIBRATION_STEPS = 20;

describe('the estimator on a real session of 439 reported requests', async () => {
  const session = await readSession();

  it('predicts the next request from the last report to within 1 % (95th percentile)', async () => {
    const calibrations = await noCalibrations();
    const errors: number[] = [];
    for (const request of session.requests) {
      const target = targetFor(session, calibrations);
      const measured = look(session, request.index, target, true);
      if (measured.source === 'reported') errors.push(measured.currentTokens / request.size - 1);
      await learn(calibrations, measured, request.size, target);
    }
    expect(errors).toHaveLength(session.requests.length - 1);
    expect(percentile(errors.map(Math.abs), 95)).toBeLessThan(0.01);
  });

  it.each([
    ['calibrated by 20 steps, then frozen', false],
    ['calibrated by 20 steps and learning on', true],
  ])('estimates a whole request from its text, %s, and is safe with the margin', async (_, learnsOn) => {
    const calibrations = await noCalibrations();
    const errors: number[] = [];
    const cautious: number[] = [];
    for (const [step, request] of session.requests.entries()) {
      const target = targetFor(session, calibrations);
      const measured = look(session, request.index, target, false);
      expect(measured.source).toBe('estimated');
      if (step >= CALIBRATION_STEPS) {
        errors.push(measured.currentTokens / request.size - 1);
        cautious.push(cautiousTokens(measured) / request.size - 1);
      }
      if (learnsOn || step < CALIBRATION_STEPS) await learn(calibrations, measured, request.size, target);
    }
    const tooLow = cautious.filter((error) => error < -0.1).length;

    expect(tooLow / cautious.length).toBeLessThanOrEqual(0.01);
    expect(percentile(errors.map(Math.abs), 50)).toBeLessThan(0.1);
  });
});

interface Session {
  readonly messages: readonly Message[];
  readonly requests: readonly { readonly index: number; readonly size: number; readonly outputTokens: number }[];
  /** System prompt and tool schemas. */
  fixed: number;
}

/** The messages as that client sent them, and the size of each request as reported. */
async function readSession(): Promise<Session> {
  const transcript = readLongTranscript();
  const { messages } = await importMessages(transcript.messages);
  const answered = new Set(messages.flatMap(resultIds));
  // Answers that were aborted within their calls: the next report shows that the client did not send those calls (it
  // grew by 59 tokens after sixteen large ones). Ours would send them with a repair; here they are left out.
  const sent = messages.map((message) => ({
    ...message,
    parts: message.parts.filter((part) => part.type !== 'tool-call' || answered.has(part.content.toolCallId)),
  }));

  const requests = transcript.usage.map((usage) => ({
    /** Position of the answer; the request is everything before. */
    index: usage.messageIndex,
    size: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    outputTokens: usage.outputTokens,
  }));
  const reportOf = new Map(requests.map((request) => [request.index, request]));
  const stored = storedMessages(sent.map(({ role, parts }) => ({ role, parts, modelId: MODEL }))).map(
    (message, index) => {
      const report = reportOf.get(index);
      return report
        ? { ...message, usage: { inputTokens: report.size, outputTokens: report.outputTokens, viewKey: 'whole/0/0' } }
        : message;
    },
  );
  const [first] = requests;
  if (!first) throw new Error('The transcript has no reports.');
  // System prompt and tool schemas are not in the file: what the first report has beyond its messages.
  const fixed = first.size - look({ messages: stored }, first.index, targetWith(0, 1), false).currentTokens;
  return { messages: stored, requests, fixed };
}

function resultIds({ parts }: NewMessage): string[] {
  return parts.flatMap((part) => (part.type === 'tool-result' ? [part.content.toolCallId] : []));
}

function targetFor({ fixed }: Session, calibrations: Calibrations): ModelTarget {
  return targetWith(fixed, calibrations.factor(MODEL, BEFORE_CALIBRATION));
}

function targetWith(fixed: number, tokenFactor: number): ModelTarget {
  const limits = { contextWindow: 200_000, maxOutputTokens: 64_000 };
  return { modelId: MODEL, warning: null, ...limits, tokenFactor, fixed: { instructions: fixed, tools: 0 } };
}

/** The request before the answer at `index`, measured with the reports of earlier answers or without. */
function look(session: Pick<Session, 'messages'>, index: number, target: ModelTarget, anchored: boolean): Measured {
  const before = session.messages.slice(0, index);
  const messages = anchored ? before : before.map((message) => ({ ...message, usage: null }));
  const stored: StoredView = { leading: [], summary: null, kept: [], messages };
  return measure(stored, buildView(stored, MODEL), target);
}

function noCalibrations(): Promise<Calibrations> {
  const store = { load: async () => new Map<string, number[]>(), save: async () => undefined };
  return loadCalibrations(store, (message, error) => {
    throw new Error(message, { cause: error });
  });
}

async function learn(calibrations: Calibrations, measured: Measured, size: number, target: ModelTarget) {
  const observed = observe(measured, { inputTokens: size, outputTokens: 0 }, target);
  if (observed) await calibrations.learn(MODEL, observed);
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}
