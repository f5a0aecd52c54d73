import { describe, expect, it } from 'vitest';
import { translator } from '#components/i18n.ts';
import { readSlash } from '#components/chat/commands/slash-text.ts';
import { commandItem, type CommandState } from '#components/chat/commands/commands.ts';

const t = translator('command');

const idle: CommandState = {
  sessionId: 'ses_1',
  title: 'Spring',
  isRunning: false,
  isCompacting: false,
  undoable: {
    kind: 'change',
    id: 'chg_1',
    summary: 'Added a FAQ section to Pricing',
    summaryMessage: null,
    createdAt: 1,
  },
  models: [
    { value: 'anthropic/claude-sonnet-4.5', label: 'Claude Sonnet 4.5' },
    { value: 'anthropic/claude-opus-4.5', label: 'Claude Opus 4.5' },
    { value: 'openai/gpt-5', label: 'GPT-5' },
  ],
  theme: 'system',
};
const ran = (text: string) => {
  const read = readSlash(text, idle);
  return read.kind === 'command' ? read.invocation : read.kind;
};

describe('a sent text', () => {
  it.each([
    ['/undo', { name: 'undo', argument: '' }],
    ['  /Undo  ', { name: 'undo', argument: '' }],
    ['/compact', { name: 'compact', argument: '' }],
    ['/compact keep the prices\nand the tone', { name: 'compact', argument: 'keep the prices\nand the tone' }],
    ['/export', { name: 'export', argument: '' }],
    ['/export JSON', { name: 'export', argument: 'json' }],
    ['/model gpt', { name: 'model', argument: 'openai/gpt-5' }],
    ['/model Claude Opus 4.5', { name: 'model', argument: 'anthropic/claude-opus-4.5' }],
    ['/rename Autumn campaign', { name: 'rename', argument: 'Autumn campaign' }],
    ['/theme dark', { name: 'theme', argument: 'dark' }],
  ])('%j is a command', (text, invocation) => {
    expect(ran(text)).toEqual(invocation);
  });

  it.each([
    'List the pages',
    '/pricing is wrong',
    '/new is a bad slug',
    '/admin should not be in the menu',
    '/export is broken again',
    '/pricing/plans',
    '//',
    'Look at /undo',
  ])('%j is a message', (text) => {
    expect(ran(text)).toBe('message');
  });

  it.each([
    ['/foo', t('unknown', { name: 'foo' })],
    ['/', t('unknown', { name: '' })],
    ['/__proto__', t('unknown', { name: '__proto__' })],
    ['/constructor', t('unknown', { name: 'constructor' })],
    ['/rename', t('needsArgument', { hint: 'title' })],
    ['/export csv', t('noSuchChoice', { argument: 'csv', choices: 'markdown, json' })],
    ['/model claude', t('noSuchChoice', { argument: 'claude', choices: 'Claude Sonnet 4.5, Claude Opus 4.5, GPT-5' })],
  ])('%j is neither, with the reason', (text, message) => {
    expect(readSlash(text, idle)).toEqual({ kind: 'problem', message });
  });
});

describe('a command', () => {
  it.each([
    ['undo', { undoable: null }, t('whyNot.nothingToUndo')],
    ['undo', { isRunning: true }, t('whyNot.running')],
    ['undo', { undoable: undefined }, null],
    ['compact', { isRunning: true }, t('whyNot.running')],
    ['compact', { isCompacting: true }, t('whyNot.compacting')],
    ['prune', { sessionId: null }, t('whyNot.noConversation')],
    ['stop', {}, t('whyNot.nothingRuns')],
    ['stop', { isRunning: true }, null],
    ['export', { sessionId: null }, t('whyNot.noConversation')],
    ['rename', { sessionId: null }, t('whyNot.noConversation')],
    ['model', { models: [] }, t('whyNot.oneModel')],
    ['new', { sessionId: null, isRunning: true }, null],
  ] as const)('/%s with %j: %s', (name, change, reason) => {
    expect(commandItem(name, { ...idle, ...change }).whyNot).toBe(reason);
  });
});
