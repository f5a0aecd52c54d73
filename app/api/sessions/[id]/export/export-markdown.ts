import { translator } from '#components/i18n.ts';
import type { ChatPart } from '#components/api/chat-message.ts';
import { toolCallOf } from '#components/chat/parts/tool-call.ts';
import { toolTitle } from '#components/chat/parts/tool-titles.ts';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { Message } from '#server/core/conversation/messages';
import { isEngineNote } from '#server/core/conversation/part-text';
import { toolOutputText } from '#server/core/conversation/part-types/tool-output';
import { definitionOf, type Part, type ToolCallPart, type ToolResultPart } from '#server/core/conversation/parts';
import { collapseSpaces } from '#server/core/text/short-text';
import type { ExportedConversation } from '#server/http/downloads/export-conversation';

const tExported = translator('exported');
const t = translator('transcript');
const tTools = translator('tools');
const tCompaction = translator('compaction');
const tPreference = translator('preference');

/** Texts of the exported file. */

/** In UTC because the server does not know the reader's time zone: `2026-03-14 09:26 UTC`. */
const timestamp = (time: number) => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Tool results by the id of their call. */
type Results = ReadonlyMap<string, ToolResultPart>;

/**
 * The conversation as a Markdown document for people: speaker, text and time of each message, a line for each tool call
 * with its input and result folded below it, and a line where messages were summarized or results cleared.
 */
export async function* exportAsMarkdown({
  session,
  wishes,
  compactions,
  messages,
}: ExportedConversation): AsyncGenerator<string> {
  yield `# ${collapseSpaces(session.title)}\n\n${tExported('begun', { when: timestamp(session.createdAt) })}\n`;
  if (wishes.length > 0)
    yield block(`${tPreference('title')}:\n\n${wishes.map((wish) => `- ${collapseSpaces(wish.quote)}`).join('\n')}`);
  const bySummary = new Map(compactions.map((record) => [record.summaryMessageId, record]));
  const prunes = compactions.filter(isPrune).toReversed();
  let speaker = '';
  for await (const [message, results] of withResults(messages)) {
    while (prunes[0] && prunes[0].createdAt <= message.createdAt) yield block(quote(pruneLine(prunes.shift()!)));
    if (message.isSummary) {
      yield block(summaryBlock(message, bySummary.get(message.id)));
      continue;
    }
    const blocks = isEngineNote(message) ? [] : message.parts.flatMap((part) => partBlock(part, results));
    if (message.error !== null) blocks.push(quote(tExported('failed', { reason: collapseSpaces(message.error) })));
    if (blocks.length === 0) continue;
    const heading = headingOf(message);
    if (heading !== speaker) yield block(`## ${heading} · ${timestamp(message.createdAt)}`);
    speaker = heading;
    yield blocks.map(block).join('');
  }
  for (const prune of prunes) yield block(quote(pruneLine(prune)));
}

const isPrune = ({ strategy, status }: CompactionRecord) => strategy === 'prune' && status !== 'failed';

/** Messages with content, each with the results of its calls, which are stored after it. */
async function* withResults(messages: AsyncIterable<Message>): AsyncGenerator<readonly [Message, Results]> {
  let previous: Message | null = null;
  let results = new Map<string, ToolResultPart>();
  for await (const message of messages) {
    if (message.role === 'tool') {
      for (const part of message.parts) if (part.type === 'tool-result') results.set(part.content.toolCallId, part);
      continue;
    }
    if (previous) yield [previous, results];
    [previous, results] = [message, new Map()];
  }
  if (previous) yield [previous, results];
}

/** The speaker of a message, with the model and whether it was replaced. */
function headingOf({ role, modelId, supersededBy }: Message): string {
  const who = role === 'user' ? t('you') : t('assistant');
  const details = [role === 'assistant' ? modelId : null, supersededBy === null ? null : tExported('superseded')];
  const known = details.filter((detail) => detail !== null);
  return known.length === 0 ? who : `${who} (${known.join(', ')})`;
}

/** The blocks of one part; none for a part that people do not see. */
function partBlock(part: Part, results: Results): string[] {
  if (part.type === 'reasoning')
    return part.content.text.trim() === '' ? [] : [folded(t('reasoning'), part.content.text.trim())];
  if (part.type === 'file')
    return [`*${tExported('attached', { name: collapseSpaces(part.content.filename ?? part.content.mediaType) })}*`];
  if (part.type === 'tool-call') return [callBlock(part, results.get(part.content.toolCallId))];
  const text = definitionOf(part.type).exportText?.(part.content) ?? '';
  return text === '' ? [] : [closed(text)];
}

/** A tool call as a list item, with its input and result folded below it. */
function callBlock({ content: { toolCallId, toolName, input } }: ToolCallPart, result: ToolResultPart | undefined) {
  const output = result?.content.output;
  const isDenied = output?.type === 'execution-denied';
  const state = !output ? 'input-available' : isDenied ? 'output-denied' : 'output-available';
  const part = {
    type: `tool-${toolName}`,
    toolCallId,
    state,
    input,
    output: isDenied ? undefined : output,
    resultProviderMetadata: { throughline: { summary: result?.content.summary } },
  };
  const call = toolCallOf(part as ChatPart);
  const title = call ? collapseSpaces(toolTitle(call)) : toolName;
  const notes = {
    running: tExported('noResult'),
    denied: tTools('denied'),
    error: tTools('failed'),
    waiting: null,
    approved: null,
    done: null,
  };
  const note = call && notes[call.state];
  const details = [`**${tTools('input')}**\n\n${fenced(JSON.stringify(input, null, 2), 'json')}`];
  if (output) details.push(`**${tTools('result')}**\n\n${fenced(toolOutputText(output))}`);
  return `- ${title}${note ? ` — ${note}` : ''}\n\n${indent(folded(tExported('details'), details.join('\n\n')))}`;
}

/** The line where messages were summarized, with the summary folded below it. */
function summaryBlock({ parts: [marker] }: Message, record: CompactionRecord | undefined): string {
  const line = record ? tCompaction('done') : tExported('summarized');
  const undone = record?.status === 'undone' ? ` (${tExported('undone')})` : '';
  const summary =
    marker?.type === 'compaction-marker' ? `\n\n${folded(tExported('summary'), marker.content.summary)}` : '';
  return quote(`${line}${undone}${summary}`);
}

/** The line where results were cleared. */
function pruneLine({ tokensBefore, tokensAfter, status }: CompactionRecord): string {
  return (
    tCompaction('cleared', { before: tokensBefore, after: tokensAfter }) +
    (status === 'undone' ? ` (${tExported('undone')})` : '')
  );
}

const block = (text: string) => `\n${text}\n`;
const prefixed = (text: string, prefix: string) => text.replaceAll(/^/gm, prefix).replaceAll(/[ \t]+$/gm, '');
const quote = (text: string) => prefixed(text, '> ');
const indent = (text: string) => prefixed(text, '  ');
const folded = (title: string, text: string) => `<details><summary>${title}</summary>\n\n${text}\n\n</details>`;

/** Closes an open code block, which would otherwise include everything that follows. */
function closed(text: string): string {
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const [, fence = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === '') continue;
    if (open === null) open = fence;
    else if (fence.startsWith(open) && rest.trim() === '') open = null;
  }
  return open === null ? text : `${text}\n${open}`;
}

/** Uses a fence longer than any in the text, so that nothing in the text ends the block. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
