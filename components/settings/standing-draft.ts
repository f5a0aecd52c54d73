import { issuesOf } from '#components/api/api-error.ts';
import { sentence } from '#components/ui/dialogs/submit';
import type { StandingInstructions } from '#server/core/site/standing-instructions';

/** A rule while it is being edited; its key stays the same while the row is edited and moved. */
export interface RuleRow {
  readonly key: number;
  readonly text: string;
}

/** An entry of the glossary while it is being edited. */
export interface WordRow {
  readonly key: number;
  readonly term: string;
  readonly meaning: string;
}

/** The standing instructions while they are being edited; rows may be empty. */
export interface StandingDraft {
  readonly voice: string;
  readonly glossary: readonly WordRow[];
  readonly rules: readonly RuleRow[];
}

let lastKey = 0;
/** Key of a new row. */
export const newKey = (): number => (lastKey += 1);

/** A draft without edits. */
export function draftOf({ voice, glossary, rules }: StandingInstructions): StandingDraft {
  return {
    voice,
    glossary: glossary.map(({ term, meaning }) => ({ key: newKey(), term, meaning })),
    rules: rules.map((text) => ({ key: newKey(), text })),
  };
}

const isEmptyWord = ({ term, meaning }: WordRow) => term.trim() === '' && meaning.trim() === '';
const isEmptyRule = ({ text }: RuleRow) => text.trim() === '';

/** The instructions of a draft, without empty rows. */
export function instructionsOf({ voice, glossary, rules }: StandingDraft): StandingInstructions {
  return {
    voice: voice.trim(),
    glossary: glossary.flatMap((row) =>
      isEmptyWord(row) ? [] : [{ term: row.term.trim(), meaning: row.meaning.trim() }],
    ),
    rules: rules.flatMap((row) => (isEmptyRule(row) ? [] : [row.text.trim()])),
  };
}

/** True if the draft has changes to save. */
export function differs(draft: StandingDraft, { voice, glossary, rules }: StandingInstructions): boolean {
  const saved = { voice, glossary: glossary.map(({ term, meaning }) => ({ term, meaning })), rules };
  return JSON.stringify(instructionsOf(draft)) !== JSON.stringify(saved);
}

/**
 * A draft after other instructions were stored. An edited draft is kept; an unedited one becomes the stored
 * instructions. A draft that equals them is kept too, so that its rows keep their keys and the focus.
 * @param before the instructions that the draft was made from, or those that were sent from it
 */
export function rebasedDraft(
  draft: StandingDraft,
  before: StandingInstructions,
  stored: StandingInstructions,
): StandingDraft {
  return differs(draft, before) || !differs(draft, stored) ? draft : draftOf(stored);
}

/** The items with one of them moved by a number of positions; unchanged if it cannot move there. */
export function moved<T extends { readonly key: number }>(rows: readonly T[], key: number, by: number): readonly T[] {
  const from = rows.findIndex((row) => row.key === key);
  const to = from + by;
  const row = rows[from];
  return row === undefined || to < 0 || to >= rows.length ? rows : rows.toSpliced(from, 1).toSpliced(to, 0, row);
}

/** Problems reported by the server, by field: `voice`, `term-3`, `meaning-3`, `rule-7` with the key of the row. */
export function standingProblems(error: unknown, draft: StandingDraft): Readonly<Record<string, string>> {
  const sent = {
    glossary: draft.glossary.filter((row) => !isEmptyWord(row)),
    rules: draft.rules.filter((row) => !isEmptyRule(row)),
  };
  const issues = issuesOf(error);
  const found = issues.flatMap(({ path, message: text }): (readonly [string, string])[] => {
    const [list = '', index = '', field = ''] = path.split('.');
    if (list === 'voice') return [['voice', text]];
    // A problem of a whole list belongs to no single row.
    if (index === '') return [];
    if (list === 'rules') return rowProblem('rule', sent.rules[Number(index)], text);
    return list === 'glossary' ? rowProblem(field || 'term', sent.glossary[Number(index)], text) : [];
  });
  return Object.fromEntries(found.toReversed().map(([name, text]) => [name, sentence(text)]));
}

function rowProblem(field: string, row: { readonly key: number } | undefined, text: string) {
  return row === undefined ? [] : [[`${field}-${row.key}`, text] as const];
}
