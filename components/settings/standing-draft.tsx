import { issuesOf, sentence } from '#components/ui/submit';
import type { StandingInstructions } from '#server/core/content';

/** A row that keeps its identity while it is edited and moved. */
export interface RuleRow {
  readonly key: number;
  readonly text: string;
}
export interface WordRow {
  readonly key: number;
  readonly term: string;
  readonly meaning: string;
}

/** The standing instructions as they are being edited; rows may still be empty. */
export interface StandingDraft {
  readonly voice: string;
  readonly glossary: readonly WordRow[];
  readonly rules: readonly RuleRow[];
}

let lastKey = 0;
/** Key of a new row. */
export const newKey = (): number => (lastKey += 1);

export function draftOf({ voice, glossary, rules }: StandingInstructions): StandingDraft {
  return {
    voice,
    glossary: glossary.map(({ term, meaning }) => ({ key: newKey(), term, meaning })),
    rules: rules.map((text) => ({ key: newKey(), text })),
  };
}

const isEmptyWord = ({ term, meaning }: WordRow) => term.trim() === '' && meaning.trim() === '';
const isEmptyRule = ({ text }: RuleRow) => text.trim() === '';

/** The instructions a draft amounts to, without empty rows. */
export function instructionsOf({ voice, glossary, rules }: StandingDraft): StandingInstructions {
  return {
    voice: voice.trim(),
    glossary: glossary.flatMap((row) =>
      isEmptyWord(row) ? [] : [{ term: row.term.trim(), meaning: row.meaning.trim() }],
    ),
    rules: rules.flatMap((row) => (isEmptyRule(row) ? [] : [row.text.trim()])),
  };
}

/** True if saving would change anything. */
export function differs(draft: StandingDraft, { voice, glossary, rules }: StandingInstructions): boolean {
  const saved = { voice, glossary: glossary.map(({ term, meaning }) => ({ term, meaning })), rules };
  return JSON.stringify(instructionsOf(draft)) !== JSON.stringify(saved);
}

/**
 * A draft after something else was stored: what was written since stays, else it is what is stored now. A draft that says
 * the same keeps its rows, and with them the one that is being written.
 * @param before what the draft was made of, or what was sent of it
 */
export function rebasedDraft(
  draft: StandingDraft,
  before: StandingInstructions,
  stored: StandingInstructions,
): StandingDraft {
  return differs(draft, before) || !differs(draft, stored) ? draft : draftOf(stored);
}

/** The items with one of them moved by so many places; the same where it cannot go there. */
export function moved<T extends { readonly key: number }>(rows: readonly T[], key: number, by: number): readonly T[] {
  const from = rows.findIndex((row) => row.key === key);
  const to = from + by;
  const row = rows[from];
  return row === undefined || to < 0 || to >= rows.length ? rows : rows.toSpliced(from, 1).toSpliced(to, 0, row);
}

/** Problems the server reported, by field: `voice`, `term-3`, `meaning-3`, `rule-7` with the key of the row. */
export function standingProblems(error: unknown, draft: StandingDraft): Readonly<Record<string, string>> {
  const sent = {
    glossary: draft.glossary.filter((row) => !isEmptyWord(row)),
    rules: draft.rules.filter((row) => !isEmptyRule(row)),
  };
  const issues = issuesOf(error).filter((issue) => typeof issue === 'string');
  const found = issues.flatMap((issue): (readonly [string, string])[] => {
    const [, list = '', index = '', field = '', text = ''] =
      /^(voice|glossary|rules)(?:\[(\d+)\])?(?:\.(\w+))?: (.*)$/s.exec(issue) ?? [];
    if (list === 'voice') return [['voice', text]];
    // What is wrong with a list as a whole is no single row's fault.
    if (index === '') return [];
    if (list === 'rules') return rowProblem('rule', sent.rules[Number(index)], text);
    return list === 'glossary' ? rowProblem(field || 'term', sent.glossary[Number(index)], text) : [];
  });
  return Object.fromEntries(found.toReversed().map(([name, text]) => [name, sentence(text)]));
}

function rowProblem(field: string, row: { readonly key: number } | undefined, text: string) {
  return row === undefined ? [] : [[`${field}-${row.key}`, text] as const];
}
