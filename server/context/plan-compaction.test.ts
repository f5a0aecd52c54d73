import { describe, expect, it } from 'vitest';
import type { NewPart } from '#server/core/parts';
import { compactionRoom, cutView, isRequest, workingContext } from '#server/context/plan-compaction';
import { strategies } from '#server/context/strategies';
import { NOTE_LABEL } from '#server/core/engine-words';
import type { StoredView } from '#server/context/view';
import { call, result, storedMessages, text } from '#tests/support/arbitrary-history';
import { describeStrategy, smallWindow } from '#tests/support/strategy-contract';

const { target, settings, budget } = smallWindow;

for (const strategy of Object.values(strategies)) describeStrategy(strategy);

describe('cutView', () => {
  const view = (messages: ReturnType<typeof storedMessages>): StoredView => ({
    leading: [],
    summary: null,
    kept: [],
    messages,
  });

  it('keeps the request when it cuts inside one long turn', () => {
    const steps = Array.from({ length: 30 }, (_, index) => [
      { role: 'assistant' as const, parts: [call(`c${index}`)] },
      { role: 'tool' as const, parts: [result(`c${index}`, 'output '.repeat(300))] },
    ]);
    const messages = storedMessages([{ role: 'user', parts: [text('Rework the whole site.')] }, ...steps.flat()]);
    const plan = cutView(view(messages), { tokens: 3_000, turns: 2 }, 2_000);
    expect(plan?.keptAfter).toEqual([messages[0]]);
    expect(plan?.tail[0].seq).toBeGreaterThan(30);
  });

  it('has nothing to do for a conversation of one request', () => {
    const messages = storedMessages([{ role: 'user', parts: [text('Hi')] }]);
    expect(cutView(view(messages), { tokens: 10, turns: 2 }, 2_000)).toBeNull();
  });
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
  it('shares out what a compaction may fill as the settings say', () => {
    const room = budget.target - budget.fixed;
    const ofShare = compactionRoom(budget, target, { ...settings, summaryShare: 0.2 });
    expect(ofShare).toEqual({ summaryTokens: room * 0.2, tailTokens: room * 0.8 });
    expect(compactionRoom(budget, target, { ...settings, summaryMaxTokens: 300 }).summaryTokens).toBe(300);
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
