import { excerpt, excerptTokens } from '#server/context/excerpt';
import { externalLines, externalThings } from '#server/context/external-things';
import { type LedgerBounds, ledgerLines } from '#server/context/ledger';
import { type ContextSettings, defaultSettings } from '#server/context/settings/context-settings';
import { type CountTokens, countTokens, newestWithin } from '#server/context/tokens';
import { collectUserWords, isBinding, textOf, type UserWords } from '#server/context/user-words';
import type { LedgerEntry } from '#server/core/compactions';
import type { Message } from '#server/core/messages';
import { recallIdOf } from '#server/core/parts';

/** Input of a summary. `messages` is everything from the session's start to the cut, oldest first. */
export interface SummaryFacts {
  /** 1 for the session's first compaction. */
  readonly round: number;
  readonly messages: readonly Message[];
  /** Messages that stay in the view beside the summary; what they name is never folded in the ledger. */
  readonly kept?: readonly Message[] | undefined;
  /** Oldest first. */
  readonly ledger: readonly LedgerEntry[];
  /** Tokens the summary may have, in our vocabulary; what code must keep may exceed it. */
  readonly tokens: number;
  /** Usable tokens of the model's window, in our vocabulary. Default: five times `tokens`. */
  readonly usableTokens?: number | undefined;
  /**
   * Tokens the summary may have at the very most, what code must keep included, so that the request still fits.
   * Default: no such limit.
   */
  readonly maxTokens?: number | undefined;
  /**
   * Changes made since then are not folded in the ledger, whatever their size: when the compaction before the last
   * one was made (epoch milliseconds), for what the last two rounds touched. Default: everything may be folded.
   */
  readonly recentFrom?: number | undefined;
  /** How the reader of the summary counts. Default: in the stored vocabulary. */
  readonly count?: CountTokens | undefined;
  /** Shares of each kind of fact. Default: those of the engine. */
  readonly shares?: Pick<ContextSettings, 'ledgerShare' | 'originalRequestShare' | 'standingShare' | 'tightShare'>;
}

/** Lines that code keeps exactly, whatever a model writes. */
export interface KeptFacts {
  readonly words: UserWords;
  /** The session's first request, verbatim or as an excerpt that names where the whole is. */
  readonly original: string;
  /** Standing instructions as list items. */
  readonly standing: readonly string[];
  /** The ledger as list items. */
  readonly ledger: readonly string[];
  /** Tokens of all of them together. */
  readonly tokens: number;
}

/** An original request that is in the view anyway is only named in the summary. Characters. */
const NAMED_CHARS = 300;
/** Set aside for title, headings and fixed sentences: tokens. */
export const FRAME_TOKENS = 120;

/** Gathers what must outlive the compaction, each part within its share of the usable tokens. */
export function keepFacts(facts: SummaryFacts): KeptFacts {
  const { count = countTokens, shares = defaultSettings } = facts;
  const { ledgerShare, originalRequestShare, standingShare, tightShare } = shares;
  const usable = facts.usableTokens ?? facts.tokens * 5;
  const most = Math.max(0, (facts.maxTokens ?? Infinity) - FRAME_TOKENS);
  const usual = keepWithin(facts, {
    original: usable * originalRequestShare,
    standing: usable * standingShare,
    ledger: usable * ledgerShare,
  });
  if (usual.tokens <= most) return usual;
  const words = { original: most * tightShare, standing: most * tightShare };
  const { original, standing } = keepWithin(facts, { ...words, ledger: 0 });
  const left = Math.max(0, most - count([original, ...standing].join('\n')) - 1);
  return keepWithin(facts, { ...words, ledger: Math.min(left, usable * ledgerShare) });
}

function keepWithin(facts: SummaryFacts, share: { original: number; standing: number; ledger: number }): KeptFacts {
  const { count = countTokens } = facts;
  const words = collectUserWords(facts.messages);
  const original = originalTask(facts, words, share.original);
  const standing = standingLines(words.standing, share.standing, facts);
  const ledger = ledgerOf(facts, Math.floor(share.ledger));
  return { words, original, standing, ledger, tokens: count([original, ...standing, ...ledger].join('\n')) };
}

function originalTask(
  { kept = [], count = countTokens }: SummaryFacts,
  { original }: UserWords,
  tokens: number,
): string {
  if (!original) return 'The conversation had no request yet.';
  const text = textOf(original);
  const part = original.parts.find(({ type }) => type === 'text');
  if (kept.some((message) => message.id === original.id) && text.length > NAMED_CHARS) {
    return `${excerpt(text, NAMED_CHARS)}\n(The request in full is among the messages of this conversation.)`;
  }
  return count(text) <= tokens ? text : excerptTokens(text, tokens / 2, part && recallIdOf(part), count);
}

/** Binding ones first where room is short, of these the newest; shown in the order in which they were said. */
function standingLines(
  instructions: readonly string[],
  tokens: number,
  { messages, count = countTokens }: SummaryFacts,
): string[] {
  const lines = instructions.map((text) => ({ line: `- ${text}`, binding: isBinding(text) }));
  const byWeight = [...lines.filter(({ binding }) => !binding), ...lines.filter(({ binding }) => binding)];
  const fitting = new Set(
    newestWithin(
      byWeight.map(({ line }) => line),
      tokens,
      (line) => count(line) + 1,
    ),
  );
  const shown = lines.map(({ line }) => line).filter((line) => fitting.has(line));
  const hidden = lines.length - shown.length;
  return hidden === 0 ? shown : [`- (${hidden} more${hasRecall(messages) ? ' by search_history' : ''})`, ...shown];
}

/** The journal first; what it leaves of the budget goes to what tools from elsewhere did. */
function ledgerOf(facts: SummaryFacts, tokens: number): string[] {
  const { kept = [], recentFrom, count = countTokens } = facts;
  const bounds: LedgerBounds = { tokens, referredWords: () => wordsOf(kept), recentFrom, count };
  const lines = ledgerLines(facts.ledger, bounds);
  const left = tokens - lines.reduce((sum, line) => sum + count(line) + 1, 0);
  const external = externalThings(facts.messages, namesOf(facts.ledger));
  return [...lines, ...externalLines(external, left, count, hasRecall(facts.messages))];
}

function namesOf(ledger: readonly LedgerEntry[]): Set<string> {
  const names = ledger.flatMap(({ id, slug, parts = [] }) => [
    id,
    ...(slug === null ? [] : [slug, `/${slug}`]),
    ...parts.map((part) => part.id),
  ]);
  return new Set(names);
}

/** The words of messages, ids and slugs whole. */
function wordsOf(messages: readonly Message[]): Set<string> {
  const words = new Set<string>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === 'file' || part.type === 'situation' || part.type === 'step-start') continue;
    for (const [word] of JSON.stringify(part.content).matchAll(/[\p{L}\p{N}_-]{2,120}/gu)) words.add(word);
  }
  return words;
}

/** Returns whether tools can find again what is left out: not in a conversation that a client keeps. */
export function hasRecall(messages: readonly Message[]): boolean {
  return !messages.some(({ parts }) => parts.some((part) => recallIdOf(part) === null));
}
