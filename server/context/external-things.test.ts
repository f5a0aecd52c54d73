import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#server/core/json';
import type { NewPart, ToolOutput } from '#server/core/parts';
import { externalLines, externalThings } from '#server/context/external-things';
import { storedMessages } from '#tests/support/arbitrary-history';
import { readLongTranscript } from '#tests/support/transcripts';
import { importMessages } from '#server/conversations/import-messages';
import { expectGrowthBelow, NEARLY_LINEAR } from '#tests/support/growth';

interface Step {
  readonly tool: string;
  readonly input: JsonValue;
  readonly output?: ToolOutput;
}

function thingsOf(steps: readonly Step[], known: readonly string[] = []) {
  return externalThings(messagesOf(steps), new Set(known));
}

function messagesOf(steps: readonly Step[]) {
  const drafts = steps.flatMap(({ tool, input, output }, n) => {
    const toolCallId = `call_${n}`;
    const call: NewPart = { type: 'tool-call', content: { toolCallId, toolName: tool, input }, tokens: 1 };
    const result: NewPart[] = output
      ? [{ type: 'tool-result', content: { toolCallId, toolName: tool, output }, tokens: 1 }]
      : [];
    return [
      { role: 'assistant' as const, parts: [call] },
      { role: 'tool' as const, parts: result },
    ];
  });
  return storedMessages(drafts);
}

const json = (value: JsonValue): ToolOutput => ({ type: 'json', value });
const says = (value: string): ToolOutput => ({ type: 'text', value });

describe('externalThings', () => {
  it('finds ids, slugs and URLs of what was made, by the call and by its result', () => {
    const things = thingsOf([
      {
        tool: 'wp_create_post',
        input: { title: 'Kilns', content: 'See https://elsewhere.example/never-mind for more.' },
        output: json({ id: 4711, slug: 'kilns', link: 'https://blog.example/kilns', requestId: 'req_81723aa' }),
      },
    ]);
    expect(things).toEqual(
      ['4711', 'kilns', 'https://blog.example/kilns'].map((name) => ({ name, acted: true, tools: ['wp_create_post'] })),
    );
  });

  it('tells files that were written from files that were read', () => {
    const things = thingsOf([
      { tool: 'read', input: { path: 'src/app.ts' }, output: says('import { x } from "./lib/x.js"') },
      { tool: 'edit', input: { path: 'src/app.ts', newText: "import y from './lib/y.js'" }, output: says('ok') },
      { tool: 'bash', input: { command: 'grep -rn kiln docs/notes.md' }, output: says('docs/notes.md:3: kiln') },
      { tool: 'bash', input: { command: 'mkdir -p out && cp a/b.png out/b.png' }, output: says('') },
      { tool: 'read', input: { path: 'src/app.ts' }, output: says('') },
    ]);
    expect(things.filter(({ acted }) => acted)).toEqual([
      { name: 'a/b.png', acted: true, tools: ['bash'] },
      { name: 'out/b.png', acted: true, tools: ['bash'] },
      { name: 'src/app.ts', acted: true, tools: ['edit'] },
    ]);
    expect(things.filter(({ acted }) => !acted).map(({ name }) => name)).toEqual(['./lib/x.js', 'docs/notes.md']);
  });

  it('takes nothing from failed calls, and nothing that the journal tells of', () => {
    const things = thingsOf(
      [
        { tool: 'delete_file', input: { path: 'a.ts' }, output: { type: 'error-text', value: 'no a.ts' } },
        { tool: 'remove_section', input: { sectionId: 'sec_b2b2b2' }, output: json({ id: 'pag_k7m2p9' }) },
        { tool: 'list_content', input: {}, output: json({ items: [{ id: 'pag_k7m2p9' }, { id: 'pag_c3c3c3' }] }) },
      ],
      ['pag_k7m2p9'],
    );
    expect(things.map(({ name }) => name)).toEqual(['pag_c3c3c3']);
  });

  it.each([
    ['letters', 'a'.repeat(500_000)],
    ['slashes', '/'.repeat(500_000)],
    ['path segments', 'a/'.repeat(250_000)],
    ['dots', 'a.'.repeat(250_000)],
    ['ids', 'aa_'.repeat(150_000)],
    ['URLs', 'https://a'.repeat(50_000)],
    ['dashes', '-'.repeat(500_000)],
    ['spaces', ' '.repeat(500_000)],
    ['arrows', '> '.repeat(250_000)],
  ])('is quick on hostile text: %s', (_name, hostile) => {
    const find = (text: string) => {
      const many = Array.from({ length: 10_000 }, () => text);
      const messages = messagesOf([
        { tool: 'bash', input: { command: text, path: text }, output: says(text) },
        { tool: text, input: { deep: [[[[[[text]]]]]], commands: many, [text]: many }, output: json(many) },
      ]);
      externalThings(messages, new Set());
    };
    expectGrowthBelow(NEARLY_LINEAR, hostile, find);
  });

  it('has every file that a real coding session edited or wrote', () => {
    const imported = importMessages(readLongTranscript().messages).messages.map(({ role, parts }) => ({
      role,
      parts,
    }));
    const calls = imported.flatMap(({ parts }) => parts).filter((part) => part.type === 'tool-call');
    const edited = calls
      .filter(({ content }) => content.toolName === 'edit' || content.toolName === 'write')
      .map(({ content }) => (content.input as { path: string }).path);
    const acted = externalThings(storedMessages(imported), new Set()).filter((thing) => thing.acted);
    expect(acted.map(({ name }) => name)).toEqual(expect.arrayContaining([...new Set(edited)]));
  });
});

describe('externalLines', () => {
  const thing = (n: number, acted: boolean) => ({ name: `src/file${n}.ts`, acted, tools: ['edit'] });

  it('names what was acted on before what was seen', () => {
    expect(externalLines([thing(1, true), thing(2, false), thing(3, false)], 1_000)).toEqual([
      '- src/file1.ts: edit',
      '- seen: src/file2.ts, src/file3.ts',
    ]);
  });

  it('counts the oldest where they do not fit', () => {
    const things = Array.from({ length: 50 }, (_, n) => thing(n, true));
    const lines = externalLines(things, 120);
    expect(lines[0]).toMatch(/^- earlier: \d+ more worked on; their names by search_history$/);
    expect(lines.at(-1)).toBe('- src/file49.ts: edit');
  });
});
