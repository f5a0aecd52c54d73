import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { parseJson } from '#server/core/json';

/* Long dialogs in the format of LoCoMo (snap-research/locomo): sessions of turns, and questions with their evidence. */

/** A turn of a dialog. */
export interface DialogTurn {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  /** What was said; before the first turn of a session its date, and after it the caption of a shared picture. */
  readonly text: string;
}

export interface Dialog {
  readonly sessions: readonly (readonly DialogTurn[])[];
  readonly questions: readonly { readonly question: string; readonly evidence: readonly DialogTurn[] }[];
}

const turnSchema = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});
const dialogSchema = z.looseObject({
  speaker_a: z.string(),
  qa: z.array(z.object({ question: z.string(), evidence: z.array(z.string()) })),
});

/** Reads a file of dialogs. @throws Error if the file is not such a list */
export async function readDialogs(path: string): Promise<Dialog[]> {
  const parsed = z
    .array(dialogSchema)
    .min(1)
    .safeParse(parseJson(await readFile(path, 'utf8')));
  if (!parsed.success) throw new Error(`${path} is not a list of dialogs: ${z.prettifyError(parsed.error)}`);
  return parsed.data.map(toDialog);
}

function toDialog(dialog: z.infer<typeof dialogSchema>): Dialog {
  const numbers = Object.keys(dialog).flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? []);
  const sessions = numbers
    .map(Number)
    .toSorted((a, b) => a - b)
    .map((number) => {
      const turns = z.array(turnSchema).parse(dialog[`session_${number}`]);
      const date = z.string().parse(dialog[`session_${number}_date_time`]);
      return turns.map(({ speaker, dia_id: id, text, blip_caption: caption }, index): DialogTurn => {
        const picture = caption === undefined ? '' : ` [picture: ${caption}]`;
        const role = speaker === dialog.speaker_a ? 'user' : 'assistant';
        return { id, role, text: `${index === 0 ? `[${date}] ` : ''}${text}${picture}` };
      });
    });
  const turns = new Map(sessions.flat().map((turn) => [turn.id, turn]));
  const questions = dialog.qa.flatMap(({ question, evidence }) => {
    // Some entries name several turns, and some name turns that do not exist.
    const ids = evidence.flatMap((entry) => entry.split(/[;,\s]+/)).filter((id) => id !== '');
    const found = ids.flatMap((id) => turns.get(id) ?? []);
    return found.length === ids.length && found.length > 0 ? [{ question, evidence: found }] : [];
  });
  return { sessions, questions };
}
