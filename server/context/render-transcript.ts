import type { Message } from '#server/core/messages';
import type { Part } from '#server/core/parts';
import { excerpt } from '#server/context/excerpt';
import { toolOutputText } from '#server/context/part-tokens';
import { countTokens } from '#server/context/tokens';

/** How much of a message and of a tool result the summarizer reads, in characters, widest first (design section 8). */
const CUTS = [
  { message: 8_000, tool: 2_000 },
  { message: 2_000, tool: 500 },
  { message: 600, tool: 200 },
  { message: 300, tool: 80 },
];

/**
 * The summarizer's input as quoted data: the previous summary, then every message, cut as little as the budget
 * allows. Should even the shortest cut not fit, the middle is left out and says so; beginning and end stay.
 * Files are named, never included. Failed messages without content are dropped.
 * @param tokens what the summarizer's window has for it, in our vocabulary
 */
export function renderTranscript(messages: readonly Message[], previousSummary: string | null, tokens: number): string {
  const opening = previousSummary === null ? [] : [quote('previous-summary', previousSummary)];
  for (const cut of CUTS) {
    const rendered = [...opening, ...renderMessages(messages, cut)];
    if (countAll(rendered) <= tokens) return rendered.join('\n');
  }
  const shortest = CUTS.at(-1) ?? { message: 300, tool: 80 };
  return withoutMiddle([...opening, ...renderMessages(messages, shortest)], tokens).join('\n');
}

function renderMessages(messages: readonly Message[], cut: { message: number; tool: number }): string[] {
  return messages.flatMap((message) => {
    const lines = message.parts.map((part) => renderPart(part, cut)).filter((line) => line !== '');
    return lines.length === 0 ? [] : [quote(message.role, lines.join('\n'))];
  });
}

function renderPart(part: Part, cut: { message: number; tool: number }): string {
  switch (part.type) {
    case 'text':
      return excerpt(part.content.text, cut.message);
    case 'tool-call':
      return `calls ${part.content.toolName} ${excerpt(JSON.stringify(part.content.input), cut.tool)}`;
    case 'tool-result':
      return `result of ${part.content.toolName}: ${excerpt(toolOutputText(part.content.output), cut.tool)}`;
    case 'file':
      return `[file ${part.content.filename ?? ''} ${part.content.mediaType}]`;
    case 'reasoning':
    case 'step-start':
    case 'compaction-marker':
      return '';
  }
}

const QUOTES = /<\s*\/?\s*(transcript|user|assistant|tool|previous-summary)\s*>/gi;

/** Quoted text cannot close its own quote. */
function quote(tag: string, text: string): string {
  return `<${tag}>\n${text.replaceAll(QUOTES, '[$1]')}\n</${tag}>`;
}

function countAll(rendered: readonly string[]): number {
  return rendered.reduce((sum, text) => sum + countTokens(text) + 1, 0);
}

function withoutMiddle(rendered: readonly string[], tokens: number): string[] {
  const start: string[] = [];
  const end: string[] = [];
  let left = tokens - 20;
  for (let taken = 0; taken < rendered.length; taken += 1) {
    const fromEnd = taken % 2 === 0;
    const next = fromEnd ? rendered[rendered.length - 1 - end.length] : rendered[start.length];
    if (next === undefined) break;
    left -= countTokens(next) + 1;
    if (left < 0) break;
    if (fromEnd) end.unshift(next);
    else start.push(next);
  }
  const omitted = rendered.length - start.length - end.length;
  return [...start, `[${omitted} messages left out here]`, ...end];
}
