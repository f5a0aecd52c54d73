import type { Message } from '#server/core/messages';
import { LEDGER_HEADING } from '#server/context/summary/compose-summary';
import { collectUserWords, textOf } from '#server/context/kept/user-words';

/** What of a composed summary code has kept exactly. */
export interface SummaryParts {
  /** The lines of the ledger, without their list marks. */
  readonly ledger: readonly string[];
  /** What the user said and the summary has word for word: the original request, standing instructions, requests. */
  readonly userWords: readonly string[];
}

const LEDGER = `\n\n### ${LEDGER_HEADING}\n`;
const ACCOMPLISHED = '\n\n### What Was Accomplished\n';
const ERRORS = '\n\n### Errors & Resolutions\n';

/**
 * Reads a stored summary again. What users or models wrote in it may look like anything, so nothing of that is parsed:
 * the user's words are looked for by the stored originals, the ledger where only code writes.
 * @param messages everything before the summary, oldest first
 */
export function readSummary(text: string, messages: readonly Message[]): SummaryParts {
  const { original, standing, requests } = collectUserWords(messages);
  const first = original ? textOf(original) : '';
  const verbatim = text.includes(first) ? first : '';
  const lines = new Set(text.split('\n'));
  const listed = [...standing, ...requests].filter((words) => lines.has(`- ${words}`));
  const userWords = new Set([...(verbatim === '' ? [] : [verbatim]), ...listed]);
  // Behind the original request, which may hold any heading itself.
  const rest = text.slice(text.indexOf(verbatim) + verbatim.length);
  return { ledger: listItems(ledgerSection(rest)), userWords: [...userWords] };
}

/** Its own section, the last one, where a model wrote the others; else it begins what was accomplished. */
function ledgerSection(text: string): string {
  const own = text.split(LEDGER).slice(1).at(-1);
  if (own !== undefined && !own.includes(ERRORS)) return own;
  return text.split(ACCOMPLISHED)[1] ?? '';
}

/** The list at the very beginning of a text. */
function listItems(text: string): string[] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('- '));
  return lines.slice(0, end === -1 ? undefined : end).map((line) => line.slice(2));
}
