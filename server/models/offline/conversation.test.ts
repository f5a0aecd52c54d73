import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { standingText } from '#server/core/site/standing-text';
import { readConversation } from '#server/models/offline/conversation';
import { type Plan, planStep } from '#server/models/offline/plan';

type Message = LanguageModelV4Prompt[number];

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const assistant = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
const called = (toolCallId: string, toolName: string, input: unknown): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName, input }],
});
const result = (toolCallId: string, toolName: string, value: { [key: string]: string }): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'json', value } }],
});
const plan = (...prompt: Message[]): Plan => planStep(readConversation(prompt));
const text = (...prompt: Message[]): string => {
  const step = plan(...prompt);
  return typeof step === 'string' ? step : `calls ${step.map(({ toolName }) => toolName).join()}`;
};

const pricing = {
  id: 'pag_abc234',
  type: 'page',
  title: 'Pricing',
  slug: 'pricing',
  status: 'draft',
  changeId: 'chg_abc234',
};
const summary = user(`[Previous conversation summary]

## Session Summary (Compaction Round 2)

### Original Task
Build a site for my bakery.

## Tone
Always friendly.

### What Was Accomplished
- Created page "Home" (pag_hhhhhh, slug home)
- Added hero section sec_hhhhhh

### Current State
All drafts.

### User Preferences
- Always use British spelling
- Likes rye
- Never use blue.

### What Comes Next
Nothing.`);

describe('memory of the basic assistant', () => {
  it('standing instructions: those of the site, from the system message', () => {
    const system = (content: string) => ({ role: 'system', content }) as const;
    const site = standingText({ voice: '', glossary: [], rules: ['Never use blue.'] });
    expect(text(system(`Be kind.\n\n${site}\n\nSpeak French.`), user('What are my standing instructions?'))).toBe(
      'The standing instructions of this site:\nRules:\n- Never use blue.',
    );
  });

  it('admits an empty memory', () => {
    expect(text(user('what have we done so far?'))).toBe('Nothing has been changed in this conversation so far.');
  });

  it('ignores notes of the engine and never takes the summary for a request', () => {
    expect(text(summary, user('list the pages'), assistant('There'), user('[Note from Throughline] Go on.'))).toBe(
      'calls list_content',
    );
  });

  it('continues where a cut answer stopped', () => {
    const whole = text(user('hello'));
    expect(text(user('hello'), assistant(whole.slice(0, 10)), user('[Note from Throughline] Go on.'))).toBe(
      whole.slice(10),
    );
  });
});

describe('a request whose first steps were compacted away', () => {
  const request = user(
    'add a text section to Home saying "A" and add a text section to Home saying "B" and publish Home',
  );
  const callOf = (step: Plan) => (typeof step === 'string' ? undefined : step[0]);
  const done = (step: Plan): Message[] => {
    const call = callOf(step);
    const id = `${call?.id}0`;
    // As the tool reports it: a page is published afterwards.
    const value = call?.toolName === 'publish_content' ? { ...pricing, status: 'published' } : pricing;
    return [called(id, call?.toolName ?? '', call?.input), result(id, call?.toolName ?? '', value)];
  };

  it('is not done twice', () => {
    const first = plan(request);
    const second = plan(request, ...done(first));
    const third = plan(request, ...done(first), ...done(second));
    expect([callOf(first)?.input.fields, callOf(second)?.input.fields]).toEqual([{ body: 'A' }, { body: 'B' }]);
    expect(callOf(third)?.toolName).toBe('publish_content');

    expect(plan(summary, request, ...done(second))).toEqual(third);
    expect(text(summary, request, ...done(third))).toMatch(
      /^add_section was already done earlier in this request\.\nVisitors see Pricing/,
    );
  });

  it('is started again if nothing shows that it was started', () => {
    expect(callOf(plan(summary, request))?.input.fields).toEqual({ body: 'A' });
  });
});

describe('a request that was cut off', () => {
  it('is over when a note says that the user cancelled it', () => {
    const calls = [called('c', 'publish_content', { ref: 'Home' }), result('c', 'publish_content', pricing)];
    const cancelled = user('[Note from Throughline] The user cancelled the turn.');
    const step = plan(user('publish Home and delete Team'), ...calls, cancelled, user('list the posts'));
    expect(step).toMatchObject([{ toolName: 'list_content' }]);
  });

  it('is over when a call was interrupted: the next message stands alone', () => {
    const interrupted: Message = {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'c',
          toolName: 'publish_content',
          output: { type: 'error-text', value: 'Interrupted: no result.' },
        },
      ],
    };
    const step = plan(
      user('publish Home'),
      called('c', 'publish_content', { ref: 'Home' }),
      interrupted,
      user('list the posts'),
    );
    expect(step).toMatchObject([{ toolName: 'list_content' }]);
  });
});
