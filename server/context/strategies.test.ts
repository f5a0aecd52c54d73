import { describe, expect, it } from 'vitest';
import type { NewPart } from '#server/core/conversation/parts';
import { createBudget } from '#server/context/budget';
import { strategies } from '#server/context/strategies';
import { compactionBudget, cutView, rawTokens } from '#server/context/compaction-plan';
import { workingContext } from '#server/core/conversation/compactions';
import { NOTE_LABEL } from '#server/core/conversation/labels';
import type { StoredView } from '#server/context/view';
import { call, result, storedMessages, text } from '#tests/support/arbitrary-history';
import { describeStrategy, smallWindow } from '#tests/support/strategy-contract';
import { isRequest } from '#server/core/conversation/part-text';

const { target, settings, budget } = smallWindow;

for (const strategy of Object.values(strategies)) describeStrategy(strategy);

describe('cutView', () => {
  const view = (messages: ReturnType<typeof storedMessages>): StoredView => ({
    leading: [],
    summary: null,
    kept: [],
    messages,
  });

  const room = {
    tokens: 6_000,
    summaryTokens: 2_000,
    tailTokens: 4_000,
    room: 10_000,
    besideLarge: 7_000,
    isFull: true,
  };
  const turn = (request: string, steps: number, size = 100) => [
    { role: 'user' as const, parts: [text(request)] },
    ...Array.from({ length: steps }, (_, step) => [
      { role: 'assistant' as const, parts: [call(`${request} ${step}`)] },
      { role: 'tool' as const, parts: [result(`${request} ${step}`, 'output '.repeat(size))] },
    ]).flat(),
    { role: 'assistant' as const, parts: [text('Done.')] },
  ];

  it('keeps the request when it cuts inside one long turn, and marks the cut', () => {
    const messages = storedMessages(turn('Rework the whole site.', 30, 300));
    const plan = cutView(view(messages), room, { tokens: 3_000, turns: 2 });
    expect(plan?.keptAfter).toEqual([messages[0]]);
    expect(plan?.cutsTurn).toBe(true);
    expect(plan?.tail[0].seq).toBeGreaterThan(30);
  });

  it('cuts between turns, and keeps as many as fit, not only the least', () => {
    const messages = storedMessages(Array.from({ length: 20 }, (_, index) => turn(`Request ${index}`, 2)).flat());
    const plan = cutView(view(messages), room, { tokens: 3_000, turns: 2 });
    expect(plan?.cutsTurn).toBe(false);
    expect(plan?.keptAfter).toEqual([]);
    expect(plan?.tail.filter(isRequest).length).toBeGreaterThan(5);
    expect(plan && isRequest(plan.tail[0])).toBe(true);
    expect(rawTokens(plan?.tail ?? [])).toBeLessThanOrEqual(3_000);
  });

  it('keeps the fewest turns when little would be removed by a requested compaction', () => {
    const messages = storedMessages(Array.from({ length: 20 }, (_, index) => turn(`Request ${index}`, 2)).flat());
    const plan = cutView(view(messages), { ...room, isFull: false }, { tokens: 3_000, turns: 2 });
    expect(plan?.tail.filter(isRequest)).toHaveLength(2);
  });

  it('cuts an older turn only if the minimum of turns requires it, and keeps its request', () => {
    const messages = storedMessages([...turn('Old', 2), ...turn('Long', 30, 300), ...turn('New', 1)]);
    const plan = cutView(view(messages), room, { tokens: 3_000, turns: 2 });
    expect(plan?.keptAfter).toEqual(
      messages.filter(({ parts: [part] }) => part?.type === 'text' && part.content.text === 'Long'),
    );
    expect(plan?.cutsTurn).toBe(true);
    const between = cutView(view(messages), room, { tokens: 300, turns: 1 });
    expect(between).toMatchObject({ keptAfter: [], cutsTurn: false });
    expect(between?.tail.filter(isRequest)).toHaveLength(1);
    // The newest turn alone would leave most of the tokens unused.
    expect(cutView(view(messages), room, { tokens: 3_000, turns: 1 })?.cutsTurn).toBe(true);
  });

  it('leaves a summary most of its tokens beside a large newest step', () => {
    const messages = storedMessages([
      ...turn('Old', 2),
      { role: 'user', parts: [text('Read all.')] },
      ...turn('', 1, 4_000).slice(1, 3),
    ]);
    const plan = cutView(
      view(messages),
      { ...room, summaryTokens: 5_000, tailTokens: 900, besideLarge: 8_500 },
      { tokens: 900, turns: 1 },
    )!;
    const kept = rawTokens([...plan.keptAfter, ...plan.tail]);
    expect(kept).toBeGreaterThan(room.tokens / 2);
    expect(8_500 - kept).toBeGreaterThan(3_000);
    expect(plan.summaryTokens).toBe(Math.min(5_000, 8_500 - kept));
    const small = cutView(
      view(messages),
      { ...room, tokens: 20_000, summaryTokens: 17_000 },
      { tokens: 900, turns: 1 },
    )!;
    expect(small.summaryTokens).toBeLessThanOrEqual(20_000 - kept);
  });

  it('still counts a turn as cut whose beginning an earlier compaction has replaced', () => {
    const [request, ...rest] = storedMessages(turn('Rework the whole site.', 30, 300));
    const plan = cutView({ ...view(rest), kept: request ? [request] : [] }, room, { tokens: 3_000, turns: 2 });
    expect(plan).toMatchObject({ keptAfter: [request], cutsTurn: true });
  });

  it('gives the summary the room that messages leave', () => {
    const messages = storedMessages([...turn('Long', 30, 300), ...turn('New', 1)]);
    const plan = cutView(view(messages), { ...room, summaryTokens: 4_000 }, { turns: 1 });
    expect(plan?.summaryTokens).toBe(4_000);
  });

  it('has nothing to do for a conversation of one request', () => {
    const messages = storedMessages([{ role: 'user', parts: [text('Hi')] }]);
    expect(cutView(view(messages), room, { tokens: 10, turns: 2 })).toBeNull();
  });
});

it('lets many of the newest turns stay in a large window', () => {
  const turns = Array.from({ length: 200 }, () => [
    { role: 'user' as const, parts: [{ ...text('Go on.'), tokens: 100 }] },
    { role: 'assistant' as const, parts: [{ ...text('Done.'), tokens: 750 }] },
  ]);
  const large = { ...target, contextWindow: 200_000 };
  const input = {
    stored: { leading: [], summary: null, kept: [], messages: storedMessages(turns.flat()) },
    target: large,
    settings,
    budget: createBudget(large, settings, 2_000),
  };
  const plan = strategies['reactive-overflow'].plan(input);
  expect(rawTokens(plan?.tail ?? [])).toBeGreaterThan(12_000);
  expect(plan?.summaryTokens).toBeGreaterThan(50_000);
  // A short summary leaves more tokens for turns.
  expect(rawTokens(strategies['reactive-overflow'].plan(input, 10_000)?.tail ?? [])).toBeGreaterThan(80_000);
});

describe('middle-removal', () => {
  const messages = storedMessages(
    Array.from({ length: 60 }, (_, index) => [
      { role: 'user' as const, parts: [text(`Request ${index}. ${'Glaze the bowls. '.repeat(60)}`)] },
      { role: 'assistant' as const, parts: [text('Done.')] },
    ]).flat(),
  );
  const [first, , summary = null, , ...later] = messages;
  const plan = (stored: Partial<StoredView>) =>
    strategies['middle-removal'].plan({
      ...smallWindow,
      stored: { leading: [], summary: null, kept: [], messages, ...stored },
    });

  it('keeps the first request in front, now and when it acts again', () => {
    expect(plan({})?.keptBefore).toEqual([first]);
    expect(plan({ leading: first ? [first] : [], summary, messages: later })?.keptBefore).toEqual([first]);
  });

  it('takes no later request for the first, where another strategy has summarized that', () => {
    expect(plan({ summary, messages: later })?.keptBefore).toEqual([]);
  });
});

describe('isRequest', () => {
  const note = text(`${NOTE_LABEL} The answer was cut here.`);
  const image = { type: 'file', content: { mediaType: 'image/png', url: 'https://example.org/a.png' } } as const;
  const isOf = (parts: NewPart[], parentId: string | null = null) =>
    storedMessages([{ role: 'user', parts }]).some((message) => isRequest({ ...message, parentId }));

  it('looks at every part: any text or file that is no note of the engine', () => {
    expect(isOf([text(''), text('Make it blue')])).toBe(true);
    expect(isOf([text(''), image])).toBe(true);
    expect(isOf([note, text('And this, please')], 'msg_request')).toBe(true);
    expect(isOf([note])).toBe(true);
    expect(isOf([note], 'msg_request')).toBe(false);
    expect(isOf([text('')])).toBe(false);
    expect(isOf([])).toBe(false);
  });
});

describe('compactionRoom', () => {
  const messages = storedMessages([{ role: 'user', parts: [text('Glaze the bowls. '.repeat(5_000))] }]);
  const stored: StoredView = { leading: [], summary: null, kept: [], messages };

  it('shares out what a compaction may fill as the settings say', () => {
    const { view } = budget;
    const shared = compactionBudget({
      stored,
      budget,
      target,
      settings: { ...settings, summaryShare: 0.2, tailShare: 0.4 },
    });
    expect(shared).toEqual({
      tokens: view,
      summaryTokens: view * 0.2,
      tailTokens: view * 0.4,
      room: budget.room,
      besideLarge: 6_400,
      isFull: true,
    });
    expect(compactionBudget({ stored, budget, target: { ...target, tokenFactor: 2 }, settings }).tokens).toBe(view / 2);
  });

  it('knows whether a compaction would remove anything', () => {
    const small = { ...stored, messages: storedMessages([{ role: 'user', parts: [text('Hi')] }]) };
    expect(compactionBudget({ stored: small, budget, target, settings }).isFull).toBe(false);
  });
});

const callsOf = (...named: Parameters<typeof call>[]) =>
  storedMessages([{ role: 'assistant', parts: named.map((each) => call(...each)) }]);

it('keeps the tools that kept messages call, and names those that only compacted ones called', () => {
  const replaced = callsOf(['a', 'publish_content'], ['b', 'get_content']);
  expect(workingContext(callsOf(['c', 'get_content']), replaced)).toEqual({
    tools: ['get_content'],
    removedTools: ['publish_content'],
  });
});
