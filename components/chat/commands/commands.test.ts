import { describe, expect, it } from 'vitest';
import { translator } from '#components/i18n.ts';
import { commandInWriting, readSlash, slashItems } from '#components/chat/commands/slash-text.ts';
import { commandItem, commandNames, type CommandState } from '#components/chat/commands/commands.ts';

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
const names = (text: string, state = idle) => slashItems(text, state).map(({ slash }) => slash);
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

describe('the list above the composer', () => {
  it('has every command after a slash, and fewer with each letter', () => {
    const running = { ...idle, isRunning: true };
    expect(names('/').toSorted()).toEqual(commandNames.map((name) => `/${name}`).toSorted());
    expect([names('/').at(-1), names('/', running)[0]]).toEqual(['/stop', '/new']);
    expect(names('/pr')).toEqual(['/prune', '/preview']);
    expect(names('/PRU')).toEqual(['/prune']);
    expect(names('/summ')).toEqual(['/compact']);
  });

  it('is empty for a text that can be no command', () => {
    for (const text of ['', 'undo', '/pricing', '/pricing is wrong', '/undo now', '/a/b'])
      expect(names(text)).toEqual([]);
  });

  it('lists values for the argument of a command', () => {
    expect(names('/export ')).toEqual(['/export markdown', '/export json']);
    expect(names('/theme d')).toEqual(['/theme dark']);
    expect(names('/model OPUS')).toEqual(['/model anthropic/claude-opus-4.5']);
    expect(names('/rename Spr')).toEqual([]);
    expect(commandInWriting('/rename Spr')).toBe('rename');
    expect(commandInWriting('/rename')).toBeNull();
    expect(commandInWriting('/export ')).toBeNull();
  });
});

describe('a command', () => {
  it('previews an undo', () => {
    expect(commandItem('undo', idle).title).toBe('Undo: Added a FAQ section to Pricing');
    expect(commandItem('undo', { ...idle, undoable: undefined }).title).toBe(t('titles.undo'));
  });

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
