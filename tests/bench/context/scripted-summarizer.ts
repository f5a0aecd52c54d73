import { countTokens } from '#server/context/tokens';

/** Tokens that the summarizer writes where it may write that much. */
const USUAL_TOKENS = 1_500;
/** Of what it may write, so much: room for headings and for another tokenizer. */
const SHARE = 0.7;
/** Of an answer that also names what stays. */
const JSON_SHARE = 0.3;
const MAX_CHARS = 160;
const LEAST_CHARS = 20;
const ALIKE_CHARS = 32;
/** Of the conversation it is shown, so much stays where it is asked to choose, if there is room for it. */
const KEPT_SHARE = 0.5;
/** The share of its length limit that it fills. */
const ROOM_SHARE = 0.8;

/** Where the quoted conversation stands in a prompt: between tags, or from its first turn on. */
const QUOTED = [/<transcript>\n([\s\S]*)\n<\/transcript>/, /<messages>\n([\s\S]*)\n<\/messages>/, /^(user: [\s\S]*)/m];
const USER_WORDS = /(?:^<user[^>\n]*>\n|^(?:human|user): ?)(\S[^\n]*)/gim;
/** A tool call as LangChain writes it at the end of a message; the others write it on a separate line. */
const CALL = /\[?\{"type":"tool_call","id":"[^"]*","name":"([^"]*)","args":/g;
const SPEAKER = /^(?:human|user|ai|model|assistant|tool|system): ?|^result of \w+: |^[-*] /i;

/**
 * Stands in for a model that writes summaries, of middling quality and the same for everybody: the first sentences of
 * evenly spaced lines of the conversation quoted in the prompt, up to about 1,500 tokens, and the first and the last
 * words of the user. It looks for nothing in particular. The form is the one the prompt asks for.
 */
export function scriptedSummary(prompt: string, maxTokens = Infinity): string {
  const quoted = quotedIn(prompt);
  const tokensOf = (share: number) => Math.min(USUAL_TOKENS, Math.floor(maxTokens * share));
  if (prompt.includes('"prunedConversation"')) return prunedConversation(prompt, quoted, tokensOf(JSON_SHARE));
  const tokens = tokensOf(SHARE);
  const extract = extractOf(quoted, tokens);
  if (prompt.includes('<state_snapshot>')) return stateSnapshot(extract);
  if (prompt.includes('### What Was Accomplished')) return sections(extract);
  return [extract.first, ...extract.lines, extract.last].join('\n');
}

interface Extract {
  readonly first: string;
  readonly lines: readonly string[];
  readonly last: string;
}

function quotedIn(prompt: string): string {
  for (const form of QUOTED) {
    const [, quoted] = form.exec(prompt) ?? [];
    if (quoted !== undefined) return quoted.replaceAll(CALL, '\ncalls $1 ');
  }
  return prompt;
}

function extractOf(quoted: string, tokens: number): Extract {
  const words = [...quoted.matchAll(USER_WORDS)].map(([, said = '']) => firstSentence(said));
  const [first = '', last = ''] = [words[0], words.at(-1)];
  const lines = unlike(
    quoted
      .split('\n')
      .map((line) => firstSentence(line.trim().replace(SPEAKER, '')))
      .filter((line) => line.length >= LEAST_CHARS && !/^[#<[{]/.test(line)),
  );
  let room = tokens - countTokens(first) - countTokens(last);
  const costs = lines.map((line) => countTokens(line) + 2);
  const whole = costs.reduce((sum, cost) => sum + cost, 0);
  const step = Math.max(1, whole / Math.max(1, room));
  const chosen: string[] = [];
  for (let at = 0; at < lines.length && room > 0; at += step) {
    const index = Math.floor(at);
    room -= costs[index] ?? 0;
    if (room > 0) chosen.push(lines[index] ?? '');
  }
  return { first, lines: chosen, last };
}

/** No model says the same over and over: lines that begin or end like an earlier one are left out. */
function unlike(lines: readonly string[]): string[] {
  const seen = new Set<string>();
  return lines.filter((line) => {
    const ends = [line.slice(0, ALIKE_CHARS), line.slice(-ALIKE_CHARS)];
    if (ends.some((end) => seen.has(end))) return false;
    for (const end of ends) seen.add(end);
    return true;
  });
}

function firstSentence(text: string): string {
  const [sentence = ''] = /^.{1,400}?[.!?](?=\s|$)/.exec(text) ?? [text];
  return sentence.slice(0, MAX_CHARS).toWellFormed();
}

/** The sections that the prompts of this project ask for; a summary without most of them is refused. */
function sections({ first, lines, last }: Extract): string {
  const list = (some: readonly string[]) => (some.length === 0 ? 'None.' : some.map((line) => `- ${line}`).join('\n'));
  const half = Math.ceil(lines.length / 2);
  return [
    `### Original Task\n${first || 'None.'}`,
    `### What Was Accomplished\n${list(lines.slice(0, half))}`,
    `### Current State\n${list(lines.slice(half))}`,
    '### User Preferences\nNone.',
    `### What Comes Next\n${last || 'None.'}`,
    '### Technical Context\nNone.',
    '### Errors & Resolutions\nNone.',
  ].join('\n\n');
}

function stateSnapshot({ first, lines, last }: Extract): string {
  return `<state_snapshot>\n<overall_goal>\n${first}\n</overall_goal>\n<key_knowledge>\n${lines.join('\n')}\n</key_knowledge>\n<task_state>\n${last}\n</task_state>\n</state_snapshot>`;
}

/** The newest messages stay, from the start of a turn's step on, so that no call loses its result. */
function prunedConversation(prompt: string, quoted: string, tokens: number): string {
  const messages = [...quoted.matchAll(/^<(user|assistant|tool) id="([^"]+)">\n([\s\S]*?)\n<\/\1>$/gm)].map(
    ([whole, role, id]) => ({ role, id, chars: whole.length }),
  );
  const all = messages.reduce((sum, { chars }) => sum + chars, 0);
  const originalTokens = Number(/The messages have (\d+) tokens/.exec(prompt)?.[1] ?? all / 4);
  const roomTokens = Number(/At most (\d+) tokens/.exec(prompt)?.[1] ?? 0);
  // Characters are not tokens: some room is left for the difference.
  const share = Math.min(KEPT_SHARE, (roomTokens / originalTokens) * ROOM_SHARE);
  let kept = 0;
  let start = messages.length;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    kept += messages[index]?.chars ?? 0;
    if (kept > all * share) break;
    if (messages[index]?.role !== 'tool') start = index;
  }
  const summary = sections(extractOf(quoted, tokens));
  const prunedTokens = Math.round(originalTokens * share) + countTokens(summary);
  const chosen = messages.slice(start).map(({ id }) => ({ id }));
  return JSON.stringify({ prunedConversation: chosen, summary, originalTokens, prunedTokens });
}
